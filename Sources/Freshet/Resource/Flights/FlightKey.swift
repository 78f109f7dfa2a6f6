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

  /// A key is copied with each ticket: one reference is cheaper than its parts.
  private let departure: Fetch.Departure

  /// Under what the response is looked up.
  var cacheKey: CacheKey { departure.context.key }

  /// Makes the key of what a fetch wants.
  ///
  /// Its headers are the request's with those that the transport would add: two who ask as different
  /// users share nothing.
  init(_ departure: Fetch.Departure) {
    self.departure = departure
  }

  /// Whether a request may be answered together with others like it: one that only reads, and whose
  /// body, if it has one, is part of its key.
  static func isShareable(_ request: Request) -> Bool {
    request.isIdentifiedWhole
      || (request.method == .get || request.method == .head) && request.body == nil
  }

  /// By name, in the order of the lines of each name.
  private static func sorted(_ headers: HTTPHeaders) -> [HTTPHeaders.Field] {
    headers.enumerated()
      .map { (ASCII.lowercased($1.name.rawValue), $0, $1) }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
      .map(\.2)
  }
}

extension FlightKey: FlightsKey {
  var hash: Int { departure.hash }
  var part: CacheKey { cacheKey }

  static func == (left: Self, right: Self) -> Bool {
    left.departure === right.departure || left.hash == right.hash && left.isSame(as: right)
  }

  private func isSame(as other: Self) -> Bool {
    let (left, right) = (departure.context, other.departure.context)
    return left.key == right.key
      && left.request.method == right.request.method
      && (left.headers == right.headers || Self.sorted(left.headers) == Self.sorted(right.headers))
      && left.request.timeouts == right.request.timeouts
      && left.request.redirects == right.request.redirects
      && left.request.limits == right.request.limits
      && left.request.tags == right.request.tags
      && departure.setting == other.departure.setting
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(hash)
  }
}
