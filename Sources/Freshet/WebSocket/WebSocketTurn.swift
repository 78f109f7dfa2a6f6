/// Lets other tasks run regularly, in a loop that may never have to wait.
///
/// A server that sends many tiny messages would otherwise occupy a thread of the pool for seconds, and
/// their reader another one.
struct WebSocketTurn: Sendable {
  private var count: UInt8 = 0

  /// Counts a message, and lets other tasks run after every 256th.
  mutating func pass() async {
    count &+= 1
    if count == 0 { await Task.yield() }
  }
}
