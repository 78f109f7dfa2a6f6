/// What two fetches must have in common to share a transfer: the whole request but its priority, and
/// the stages that are shared.
///
/// Its header fields are the request's with those that the transport would add: two users share
/// nothing.
struct CoalescingKey: Sendable {
  /// What tells the stages apart that follow the coalescing.
  enum Setting: Sendable, Hashable {
    case label(String)
    case options(FetchOptions)
  }

  private let context: FetchContext
  private let setting: Setting
  private let edition: StageList.Edition?
  /// Computed once, for a key is looked up several times; not negative.
  let hash: Int

  init(_ context: FetchContext, _ setting: Setting, _ edition: StageList.Edition? = nil) {
    self.context = context
    self.setting = setting
    // Who writes a label says what else agrees.
    if case .options = setting { self.edition = edition } else { self.edition = nil }
    // What else differs between requests for the same thing is rare enough to be left to equality.
    var hasher = Hasher()
    hasher.combine(context.key)
    hasher.combine(context.headers.count)
    hash = hasher.finalize() & .max
  }

  /// The key under which the response is looked up.
  var cacheKey: CacheKey { context.key }

  /// A Boolean value that indicates whether a request may be answered together with others like it: one
  /// that only reads, and whose body, if it has one, is part of its key.
  static func isShareable(_ request: Request) -> Bool {
    request.isIdentifiedWhole
      || (request.method == .get || request.method == .head) && request.body == nil
  }
}

extension CoalescingKey: Hashable {
  static func == (left: Self, right: Self) -> Bool {
    guard left.context !== right.context || left.edition !== right.edition else {
      return left.setting == right.setting
    }
    return left.hash == right.hash && left.isSame(as: right)
  }

  private func isSame(as other: Self) -> Bool {
    let (left, right) = (context, other.context)
    return left.key == right.key
      && left.request.method == right.request.method
      && (left.headers == right.headers || Self.sorted(left.headers) == Self.sorted(right.headers))
      && left.request.timeouts == right.request.timeouts
      && left.request.redirects == right.request.redirects
      && left.request.limits == right.request.limits
      && left.request.tags == right.request.tags
      && edition === other.edition
      && setting == other.setting
  }

  /// By name, in the order of the lines of each name.
  private static func sorted(_ headers: HTTPHeaders) -> [HTTPHeaders.Field] {
    headers.enumerated()
      .map { (ASCII.lowercased($1.name.rawValue), $0, $1) }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
      .map(\.2)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(hash)
  }
}

extension CoalescingKey: CoalescerKey {
  var part: CacheKey { cacheKey }
}
