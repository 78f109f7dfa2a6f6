public import Foundation
import Synchronization

/// The cookies of a client; without one, cookies are neither kept nor sent.
///
/// - RFC 6265 section 5 decides what is kept and what is sent. `SameSite` is not looked at: there
///   is no page that a request could come from.
/// - A jar holds 3,000 cookies and 180 of one domain; the oldest go first.
/// - A domain under which strangers have their own, such as `com` or `co.uk`, gets no cookie:
///   ``isPublicSuffix(_:)`` decides, or a closure of your own. On Linux that is the list of `libpsl`,
///   where it is installed. On Apple platforms, which keep their list to themselves, it is a short
///   built-in rule: a server of `a.github.io` could set a cookie for all of `github.io` unless the
///   closure knows better. Give one when the client talks to servers that do not trust each other.
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
  ///   - isPublicSuffix: Whether a domain, in lower case and without a dot at its end, is one under
  ///     which strangers have their own; ``isPublicSuffix(_:)`` by default.
  public init(
    _ cookies: [Cookie] = [],
    now: @escaping @Sendable () -> Date = { Date() },
    isPublicSuffix: @escaping @Sendable (String) -> Bool = { CookieJar.isPublicSuffix($0) }
  ) {
    self.now = now
    self.isPublicSuffix = isPublicSuffix
    store = Mutex(cookies)
  }

  /// Whether a domain has no dot, or is one of the usual names (`co`, `com`, `ac`, `gov` and the like)
  /// below a country's.
  ///
  /// - Parameter domain: The domain in lower case.
  /// - Returns: `true` if so; `false` says nothing.
  public static func isUsualSuffix(_ domain: String) -> Bool {
    let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count > 1 else { return true }
    return labels.count == 2 && labels[1].utf8.count == 2 && usualNames.contains(labels[0])
  }

  private static let usualNames: Set<Substring> = [
    "ac", "asn", "biz", "co", "com", "edu", "go", "gob", "gouv", "gov", "govt", "id", "info", "ltd",
    "me", "mil", "ne", "net", "nhs", "nic", "nom", "or", "org", "plc", "police", "sch", "web",
  ]

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
    let isFull = { (store: [Cookie]) in
      store.count > maximumCount
        || store.count { $0.domain == cookie.domain } > maximumPerDomain
    }
    guard isFull(store) else { return }
    // What has expired goes before anything that has not (RFC 6265 section 5.3).
    store.removeAll { $0.isExpired(at: now) }
    let siblings = store.indices.filter { store[$0].domain == cookie.domain }
    if siblings.count > maximumPerDomain { store.remove(at: siblings[0]) }
    store.removeFirst(max(0, store.count - maximumCount))
  }
}
