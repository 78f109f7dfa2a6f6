#if !canImport(Darwin)
import CCurl

extension CurlLoop {
  /// The number of bytes that are decoded in one turn for all transfers together; a few milliseconds at most.
  static let decodingShare = 1 << 20
  /// The number of bytes that are decoded of one body before it is the others' turn.
  private static let decodingSlice = 1 << 18

  /// Decodes the queued bodies in turn, within this turn's limit.
  func decodeMore() {
    while decodingWork > 0, let id = decoding.popFirst() {
      guard let handle = active[id], let exchange = handle.exchange, !handle.state.isReceivingPaused
      else { continue }
      let slice = min(decodingWork, Self.decodingSlice)
      var work = slice
      handle.goOnDecoding(&work)
      decodingWork -= slice - work
      if let failure = handle.state.failure {
        finish(handle, exchange, .failure(failure))
      } else {
        goOn(behind: handle, exchange)
      }
    }
  }

  /// Resumes libcurl if nothing waits to be decoded, or finishes the transfer if libcurl has ended it.
  private func goOn(behind handle: CurlHandle, _ exchange: CurlExchange) {
    if handle.state.decoder?.isWaiting == true {
      watch(handle)
    } else if let code = handle.state.ended {
      finish(handle, exchange, handle.result(code, of: exchange))
    } else if !handle.state.isReceivingPaused {
      noteStop(of: handle)
      go(on: handle)
    }
  }
}
#endif
