public import Foundation
import Synchronization

/// The cookies of a client; without one, cookies are neither kept nor sent.
///
/// - RFC 6265 section 5 decides what is kept and what is sent. `SameSite` is not looked at: there
///   is no page that a request could come from.
/// - A jar holds 3,000 cookies and 180 of one domain; the oldest go first.
/// - There is no list of public suffixes here. A domain without a dot, such as `com`, is refused;
///   a server of `example.co.uk` could set a cookie for all of `co.uk` unless the closure knows
///   better. Give one when the client talks to servers that do not trust each other.
/// - A jar is in memory. To keep it, store ``cookies`` where secrets belong.
public final class CookieJar: Sendable {
  private let now: @Sendable () -> Date
  private let isPublicSuffix: @Sendable (String) -> Bool
  private let store: Mutex<[Cookie]>

  private static let maximumCount = 3_000
  private static let maximumPerDomain = 180

  /// Makes a jar.
  ///
  /// - Parameters:
  ///   - cookies: What it holds at first; nothing by default.
  ///   - now: The time; the system's by default.
  ///   - isPublicSuffix: Whether a domain, in lower case, is one under which strangers have their
  ///     own; by default those without a dot.
  public init(
    _ cookies: [Cookie] = [],
    now: @escaping @Sendable () -> Date = { Date() },
    isPublicSuffix: @escaping @Sendable (String) -> Bool = { !$0.contains(".") }
  ) {
    self.now = now
    self.isPublicSuffix = isPublicSuffix
    store = Mutex(cookies)
  }

  /// The cookies that have not expired, the oldest first.
  public var cookies: [Cookie] {
    let now = now()
    return store.withLock { store in store.filter { !$0.isExpired(at: now) } }
  }

  /// Forgets the cookies that the closure names; all by default.
  public func remove(where isMeant: (Cookie) -> Bool = { _ in true }) {
    store.withLock { $0.removeAll(where: isMeant) }
  }

  /// Keeps the cookies that a response sets.
  ///
  /// - Parameter head: The response; its URL is where they come from.
  public func store(from head: ResponseHead) {
    let fields = head.headers[values: .setCookie]
    guard !fields.isEmpty, let place = Cookie.Place(head.url) else { return }
    let now = now()
    let cookies = fields.compactMap {
      Cookie($0, from: place, now: now, isPublicSuffix: isPublicSuffix)
    }
    store.withLock { store in
      for cookie in cookies {
        Self.put(cookie, into: &store, from: place, now: now)
      }
    }
  }

  /// What `Cookie` holds in a request there, or `nil` if there is no cookie for it.
  ///
  /// Cookies with longer paths come first, then the older ones.
  public func field(for url: URL) -> String? {
    guard !store.withLock(\.isEmpty), let place = Cookie.Place(url) else { return nil }
    let matching = cookies.filter { $0.matches(place) }
    guard !matching.isEmpty else { return nil }
    return matching.enumerated()
      .sorted { ($1.element.path.count, $0.offset) < ($0.element.path.count, $1.offset) }
      .map { "\($0.element.name)=\($0.element.value)" }
      .joined(separator: "; ")
  }

  private static func put(
    _ new: Cookie,
    into store: inout [Cookie],
    from place: Cookie.Place,
    now: Date
  ) {
    var cookie = new
    if let index = store.firstIndex(where: { $0.identity == cookie.identity }) {
      // What was set over https cannot be replaced from outside of it.
      guard place.isSecure || !store[index].isSecure else { return }
      cookie.created = store[index].created
      if cookie.isExpired(at: now) {
        store.remove(at: index)
      } else {
        store[index] = cookie
      }
      return
    }
    guard !cookie.isExpired(at: now) else { return }
    store.append(cookie)
    let siblings = store.indices.filter { store[$0].domain == cookie.domain }
    if siblings.count > maximumPerDomain { store.remove(at: siblings[0]) }
    guard store.count > maximumCount else { return }
    store.removeAll { $0.isExpired(at: now) }
    store.removeFirst(max(0, store.count - maximumCount))
  }
}
