/// What two fetches must have in common to share a transfer: the whole request but its priority,
/// and whatever the stages that are shared are set to.
struct FlightKey: Sendable {
  /// What the shared stages are set to.
  enum Setting: Sendable, Hashable {
    case none
    case label(String)
    case pipeline(String)
    case choices(FetchChoices)
  }

  private struct Parts: Sendable, Equatable {
    let key: CacheKey
    let method: HTTPMethod
    /// By name, in the order of the lines of each name.
    let headers: [HTTPHeaders.Field]
    let timeouts: Request.Timeouts
    let redirects: RedirectPolicy
    let limits: ResponseLimits
    let tags: Set<String>
    let setting: Setting
  }

  /// A key is copied with each ticket: one reference is cheaper than its parts.
  private final class Content: Sendable {
    let parts: Parts
    /// Computed once: a key is looked for several times.
    let hash: Int

    init(_ parts: Parts) {
      self.parts = parts
      // What else differs between requests for the same thing is rare enough to be left to equality.
      var hasher = Hasher()
      hasher.combine(parts.key)
      hasher.combine(parts.headers.count)
      hash = hasher.finalize() & .max
    }
  }

  private let content: Content

  /// Under what the response is looked up.
  var cacheKey: CacheKey { content.parts.key }

  /// Makes the key of a request.
  ///
  /// `headers` are the request's with those that the transport would add: two who ask as different
  /// users share nothing. By default, they are the request's own.
  init(
    _ request: Request,
    headers: HTTPHeaders? = nil,
    key: CacheKey,
    setting: Setting = .none
  ) {
    content = Content(
      Parts(
        key: key,
        method: request.method,
        headers: Self.sorted(headers ?? request.headers),
        timeouts: request.timeouts,
        redirects: request.redirects,
        limits: request.limits,
        tags: request.tags,
        setting: setting
      )
    )
  }

  /// Whether a request may be answered together with others like it: one that only reads, and whose
  /// body, if it has one, is part of its key.
  static func isShareable(_ request: Request) -> Bool {
    request.isIdentifiedWhole
      || (request.method == .get || request.method == .head) && request.body == nil
  }

  private static func sorted(_ headers: HTTPHeaders) -> [HTTPHeaders.Field] {
    guard headers.count > 1 else { return Array(headers) }
    return headers.enumerated()
      .map { (ASCII.lowercased($1.name.rawValue), $0, $1) }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
      .map(\.2)
  }
}

extension FlightKey: FlightsKey {
  var hash: Int { content.hash }
  var part: CacheKey { cacheKey }

  static func == (left: Self, right: Self) -> Bool {
    left.content === right.content
      || left.hash == right.hash && left.content.parts == right.content.parts
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(hash)
  }
}
