/// The properties in which two fetches must agree to share a transfer.
///
/// These are the whole request except its priority, and the shared stages. The header fields include
/// those that the transport would add, so that fetches of different users are never shared.
struct CoalescingKey: Sendable {
  /// The parameter by which the stages after the coalescing are distinguished.
  indirect enum Setting: Sendable, Hashable {
    case label(String)
    case options(FetchOptions)
    case download(DownloadTarget, FetchOptions)
  }

  private let context: FetchContext
  private let setting: Setting
  private let edition: StageList.Edition?
  /// A hash that is computed once, because a key is looked up several times; not negative.
  let hash: Int

  init(_ context: FetchContext, _ setting: Setting, _ edition: StageList.Edition? = nil) {
    self.context = context
    self.setting = setting
    // With a label, the caller is responsible for which stages agree.
    if case .label = setting { self.edition = nil } else { self.edition = edition }
    // Other differences between requests with the same key are rare, and left to equality.
    var hasher = Hasher()
    hasher.combine(context.key)
    hasher.combine(context.headers.count)
    hash = hasher.finalize() & .max
  }

  /// The key under which the response is looked up.
  var cacheKey: CacheKey { context.key }

  /// Returns whether a request may share its response with others like it.
  ///
  /// It may if it is read-only, and if its body, if any, is part of its key.
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
      && left.request.networks == right.request.networks
      && left.request.tags.hasSameTags(as: right.request.tags)
      && edition === other.edition
      && setting == other.setting
  }

  /// Returns the fields sorted by name, with the lines of each name in order.
  static func sorted(_ headers: HTTPHeaders) -> [HTTPHeaders.Field] {
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
