/// The record of a server's requests, connections and sent bytes.
struct ServerLog: Sendable {
  private(set) var requests: [LoopbackServer.ReceivedRequest] = []
  private(set) var requestCount = 0
  private var countByPath: [String: Int] = [:]
  private var bytesByPath: [String: Int64] = [:]
  private(set) var bytesByConnection: [Int64] = []
  private(set) var openCount = 0
  /// The number of blocked connections, by path.
  private var blockedCounts: [String: Int] = [:]
  var isStopped = false
  let limit: Int

  init(limit: Int) {
    self.limit = max(0, limit)
  }

  var connectionCount: Int { bytesByConnection.count }
  var newestRequests: [LoopbackServer.ReceivedRequest] { requests.suffix(limit) }

  /// The newest requests in words, without queries.
  var words: String {
    let newest = requests.suffix(5).map { "\($0.method) \($0.path)" }
    return "the server has received " + (newest.isEmpty ? "none" : newest.joined(separator: ", "))
  }

  /// Returns whether so many connections, or all, have been closed.
  func hasClosed(_ count: Int?) -> Bool {
    connectionCount - openCount >= count ?? connectionCount
  }

  mutating func opened() -> Int {
    bytesByConnection.append(0)
    openCount += 1
    return connectionCount
  }

  mutating func closed() {
    openCount -= 1
  }

  mutating func received(_ request: LoopbackServer.ReceivedRequest) {
    requestCount += 1
    countByPath[request.path, default: 0] += 1
    // Up to twice the limit is stored, so that removing the oldest costs little for each request.
    if requests.count / 2 >= limit { requests.removeFirst(requests.count - limit) }
    requests.append(request)
  }

  mutating func wrote(_ count: Int, connection: Int, path: String) {
    bytesByConnection[connection - 1] += Int64(count)
    bytesByPath[path, default: 0] += Int64(count)
  }

  mutating func setBlocked(_ path: String, _ isBlocked: Bool) {
    blockedCounts[path, default: 0] += isBlocked ? 1 : -1
  }

  // Of a path, in all spellings that requests may have.

  func count(of paths: Set<String>) -> Int {
    paths.reduce(0) { $0 + countByPath[$1, default: 0] }
  }

  func bytes(of paths: Set<String>) -> Int64 {
    paths.reduce(0) { $0 + bytesByPath[$1, default: 0] }
  }

  func isBlocked(_ paths: Set<String>) -> Bool {
    paths.contains { blockedCounts[$0, default: 0] > 0 }
  }
}
