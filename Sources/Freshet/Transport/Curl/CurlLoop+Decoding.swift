#if os(Linux)
import CCurl

extension CurlLoop {
  /// How much is decoded in one turn, for all transfers together: some milliseconds at most.
  static let decodingShare = 1 << 20
  /// How much is decoded of one body before the others have their turn.
  private static let decodingSlice = 1 << 18

  /// Remembers a transfer whose body could not be decoded at once.
  func decodeLater(_ id: Int) {
    decoding.append(id)
  }

  /// Goes on decoding, within this turn's share, by turns.
  func decodeMore() {
    while decodingWork > 0, let id = decoding.popFirst() {
      guard let handle = active[id], let exchange = handle.exchange, !handle.isReceivingPaused
      else { continue }
      let slice = min(decodingWork, Self.decodingSlice)
      var work = slice
      handle.goOnDecoding(&work)
      decodingWork -= slice - work
      if let failure = handle.failure {
        finish(handle, exchange, .failure(failure))
      } else {
        goOn(behind: handle, exchange)
      }
    }
  }

  /// Has libcurl go on if nothing waits to be decoded, or ends what it has ended meanwhile.
  private func goOn(behind handle: CurlHandle, _ exchange: CurlExchange) {
    if handle.decoder?.isWaiting == true {
      watch(handle)
    } else if let code = handle.ended {
      finish(handle, exchange, handle.result(code, of: exchange))
    } else if !handle.isReceivingPaused {
      go(on: handle)
    }
  }
}
#endif
