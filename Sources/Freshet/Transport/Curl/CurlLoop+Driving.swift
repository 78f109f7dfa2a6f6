#if os(Linux)
/// Waking the loop's thread and being woken by it takes longer than a server nearby needs to answer.
/// So a transfer that is alone is driven by its own reader, as long as such transfers have been quick;
/// it takes a millisecond at most, and what is left goes to the loop's thread.
extension CurlLoop {
  /// How many quick transfers in a row it takes.
  private static let proof = 4
  /// For how many transfers nobody tries again after readers got in each other's way.
  private static let truce = 64
  /// How much of a body arrives here; its reader could not take it meanwhile.
  private static let limit: Int64 = 64 << 10
  private static let longest: UInt64 = 1_000_000

  /// Whether the next transfer may be driven by its reader.
  var isLendable: Bool { quickness >= Self.proof }

  /// Begins a transfer and works for it, if possible to its end, on the thread of its reader.
  func drive(_ exchange: CurlExchange) {
    look()
    let deadline = now + Self.longest
    start(exchange)
    turn()
    while let handle = active[exchange.id] {
      if mailbox.hasCommands {
        quickness = -Self.truce
        return
      }
      guard now < deadline, handle.decoded < Self.limit else {
        quickness = 0
        return
      }
      wait(patience() == 0 ? 0 : 1)
      turn()
    }
  }

  /// Learns how quick transfers are.
  func noteDuration(of handle: CurlHandle) {
    let isQuick = now - handle.began <= configuration.quickTransfer
    quickness = isQuick ? min(quickness + 1, Self.proof) : min(quickness, 0)
  }
}
#endif
