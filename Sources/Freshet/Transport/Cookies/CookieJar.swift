public import FreshetEssentials
import Synchronization

/// The cookies of a client; without a jar, cookies are neither stored nor sent.
///
/// - RFC 6265 section 5 decides which cookies are stored and sent. `SameSite` is ignored, because
///   requests do not originate from a page.
/// - A jar holds at most 3,000 cookies, and 180 of a registrable domain, such as `example.co.uk`, and
///   its subdomains; the oldest are removed first.
/// - A public suffix, such as `com` or `co.uk`, cannot have cookies: ``isPublicSuffix(_:)`` decides, or
///   your own closure. On Linux, it uses the list of `libpsl` where that is installed. On Apple
///   platforms, whose list is not public, it is a short built-in rule: a server of `a.github.io` could
///   set a cookie for all of `github.io`, unless your closure prevents it. Provide one if the client
///   uses servers that do not trust each other.
/// - A jar is only in memory. To keep its contents, store ``cookies`` in a place for secrets.
public final class CookieJar: Sendable {
  private let now: @Sendable () -> Date
  private let isPublicSuffix: @Sendable (String) -> Bool
  private let store: Mutex<[Cookie]>

  private static let maximumCount = 3_000
  private static let maximumPerSite = 180

  /// Creates a jar.
  ///
  /// - Parameters:
  ///   - cookies: The initial cookies, the oldest first; none by default. Beyond the limits of a jar, the
  ///     newest are kept. Those for all of a public suffix are left out.
  ///   - now: A closure that returns the current time; the system's by default.
  ///   - isPublicSuffix: A closure that indicates whether a domain, in lower case and without a
  ///     trailing dot, is a public suffix; ``isPublicSuffix(_:)`` by default.
  public init(
    _ cookies: [Cookie] = [],
    now: @escaping @Sendable () -> Date = { Date() },
    isPublicSuffix: @escaping @Sendable (String) -> Bool = { CookieJar.isPublicSuffix($0) }
  ) {
    self.now = now
    self.isPublicSuffix = isPublicSuffix
    store = Mutex(Self.limited(cookies, now: now(), isPublicSuffix))
  }

  private static func limited(
    _ cookies: [Cookie],
    now: Date,
    _ isPublicSuffix: (String) -> Bool
  ) -> [Cookie] {
    var counts: [String: Int] = [:]
    var identities: Set<Cookie.Identity> = []
    let kept = cookies.reversed()
      .filter { cookie in
        let site = Cookie.Site(of: cookie.domain, isPublicSuffix)
        guard identities.insert(cookie.identity).inserted, !cookie.isExpired(at: now),
          cookie.isHostOnly || !site.isAlone
        else { return false }
        counts[site.name, default: 0] += 1
        return counts[site.name, default: 0] <= maximumPerSite
      }
    return kept.prefix(maximumCount).reversed()
  }

  /// Returns whether a domain has no dot, or is a common second-level name (such as `co`, `com`, `ac`
  /// or `gov`) below a country code.
  ///
  /// - Parameter domain: The domain in lower case.
  /// - Returns: `true` if so; `false` does not mean that the domain is not a public suffix.
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

  /// Removes the cookies for which the closure returns `true`; all by default.
  ///
  /// The closure can use the jar. A cookie that is stored or replaced while it runs stays.
  ///
  /// - Parameter isMeant: A closure that returns whether a cookie is to be removed.
  public func remove(where isMeant: (Cookie) -> Bool = { _ in true }) {
    // Outside of the lock, which the closure may need.
    let meant = Set(store.withLock(\.self).filter(isMeant))
    store.withLock { $0.removeAll(where: meant.contains) }
  }

  /// Stores the cookies that a response sets.
  ///
  /// - Parameter head: The head of the response, whose URL decides which cookies are accepted.
  public func store(from head: ResponseHead) {
    let fields = head.headers[values: .setCookie]
    guard !fields.isEmpty, let place = Cookie.Place(head.url) else { return }
    let now = now()
    let cookies = fields.compactMap {
      Cookie($0, from: place, now: now, isPublicSuffix: isPublicSuffix)
    }
    guard !cookies.isEmpty else { return }
    let site = Cookie.Site(of: place.host, isPublicSuffix)
    store.withLock { store in
      // An expired cookie neither blocks another one nor lends it its age, and is removed before any
      // others (RFC 6265 section 5.3).
      store.removeAll { $0.isExpired(at: now) }
      for cookie in cookies { Self.put(cookie, into: &store, from: place, now: now) }
      Self.limit(&store, of: site)
    }
  }

  /// Returns the value of the `Cookie` field for a request to a URL; `nil` if there is no cookie for it.
  ///
  /// Cookies with longer paths come first, then older ones.
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
    guard place.isSecure || !store.contains(where: { $0.blocks(new) }) else { return }
    let identity = new.identity
    // Nearly all have other names, which are compared faster than identities.
    let index = store.firstIndex { $0.name == identity.name && $0.identity == identity }
    if let index {
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
  }

  /// Removes the oldest cookies beyond the limits, after a response of a site has set some.
  private static func limit(_ store: inout [Cookie], of site: Cookie.Site) {
    var surplus = store.count { site.contains($0.domain) } - maximumPerSite
    if surplus > 0 {
      store.removeAll { cookie in
        guard surplus > 0, site.contains(cookie.domain) else { return false }
        surplus -= 1
        return true
      }
    }
    store.removeFirst(max(0, store.count - maximumCount))
  }
}
