#if Redis && !canImport(Darwin)
struct FrontierKeys: Sendable {
  /// The stream of the requests that wait or are taken.
  let queue: String
  /// The hash with the totals.
  let state: String
  /// The stream of the requests that have failed for good.
  let dead: String
  /// The sorted set of the requests that wait for another attempt, by their times.
  let later: String
  /// The set of the digests of all requests.
  let seen: String

  init(_ name: String, prefix: String) {
    let prefix = "\(prefix):frontier:\(name)"
    queue = "\(prefix):queue"
    state = "\(prefix):state"
    dead = "\(prefix):dead"
    later = "\(prefix):later"
    seen = "\(prefix):seen"
  }

  var all: [String] { [queue, state, dead, later, seen] }
}
#endif
