import Freshet

/// The record of a server's requests, connections and sent bytes.
struct ServerLog: Sendable {
  struct Connection: Sendable {
    var isOpen = true
    var bytesWritten: Int64 = 0
  }

  private(set) var requests: [LoopbackServer.ReceivedRequest] = []
  private(set) var requestCount = 0
  private(set) var countByPath: [String: Int] = [:]
  private(set) var bytesByPath: [String: Int64] = [:]
  private(set) var connections: [Connection] = []
  private(set) var openCount = 0
  private(set) var blockedPaths: Set<String> = []
  var isStopped = false
  let limit: Int

  init(limit: Int) {
    self.limit = max(0, limit)
  }

  var newestRequests: [LoopbackServer.ReceivedRequest] { requests.suffix(limit) }

  /// Returns whether so many connections, or all, have been closed.
  func hasClosed(_ count: Int?) -> Bool {
    connections.count - openCount >= count ?? connections.count
  }

  mutating func opened() -> Int {
    connections.append(Connection())
    openCount += 1
    return connections.count
  }

  mutating func closed(_ connection: Int) {
    connections[connection - 1].isOpen = false
    openCount -= 1
  }

  mutating func received(_ request: LoopbackServer.ReceivedRequest) {
    requestCount += 1
    countByPath[request.path, default: 0] += 1
    // Up to twice the limit is stored, so that removing the oldest costs little for each request.
    if requests.count >= 2 * limit { requests.removeFirst(requests.count - limit) }
    requests.append(request)
  }

  mutating func wrote(_ count: Int, connection: Int, path: String) {
    connections[connection - 1].bytesWritten += Int64(count)
    bytesByPath[path, default: 0] += Int64(count)
  }

  mutating func setBlocked(_ path: String, _ isBlocked: Bool) {
    if isBlocked { blockedPaths.insert(path) } else { blockedPaths.remove(path) }
  }
}
