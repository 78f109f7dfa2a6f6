/// What two fetches must have in common to share a transfer: the whole request but its priority,
/// and whatever the stages that are shared are set to.
struct FlightKey: Sendable {
  /// What the shared stages are set to.
  enum Setting: Sendable, Hashable {
    case none
    case label(String)
    case pipeline(String)
    case policy(ResourcePolicy)
    case call(ResourcePolicy, bodyLimit: Int)
  }

  private let key: CacheKey
  private let method: HTTPMethod
  /// By name, in the order of the lines of each name.
  private let headers: [HTTPHeaders.Field]
  private let timeouts: Request.Timeouts
  private let redirects: RedirectPolicy
  private let limits: ResponseLimits
  private let tags: Set<String>
  private let setting: Setting
  /// Computed once: a key is looked for several times.
  let hash: Int

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
    self.key = key
    method = request.method
    self.headers = Self.sorted(headers ?? request.headers)
    timeouts = request.timeouts
    redirects = request.redirects
    limits = request.limits
    tags = request.tags
    self.setting = setting
    // What else differs between requests for the same thing is rare enough to be left to equality.
    var hasher = Hasher()
    hasher.combine(key)
    hasher.combine(self.headers.count)
    hash = hasher.finalize()
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

extension FlightKey: Hashable {
  func hash(into hasher: inout Hasher) {
    hasher.combine(hash)
  }
}
