#if !canImport(Darwin)
import CCurl

extension CurlHandle {
  /// A Boolean value that indicates whether received bytes have to wait, for the reader or for earlier bytes.
  var isHeldBack: Bool { state.isReceivingPaused || state.decoder?.isWaiting == true }

  /// Continues to decode waiting bytes.
  ///
  /// - Parameter work: The remaining work of this turn, see ``ContentDecoder``.
  func goOnDecoding(_ work: inout Int) {
    guard let decoder = state.decoder else { return }
    deadlines.lastActivity = loop.now
    _ = decode(with: decoder) { decoder.goOn(&work, within: $0, into: $1) }
  }

  /// Decodes bytes and delivers them, and schedules the remaining ones.
  ///
  /// - Returns: A Boolean value that indicates whether the transfer continues.
  func decode(
    with decoder: ContentDecoder,
    _ step: (ContentBounds, ContentDecoder.Sink) -> ContentDecoder.Outcome
  ) -> Bool {
    guard let exchange else { return false }
    let limits = exchange.request.limits
    // libcurl counts a buffer only after this returns.
    let bounds = ContentBounds(limits, received: received + Int64(loop.readSize))
    let outcome = step(bounds) { piece in
      // What is decoded cannot wait in libcurl any more.
      take(piece, for: exchange, insists: true)
    }
    switch outcome {
    case .decoded: return true
    case .waiting:
      if !state.isReceivingPaused { loop.decoding.append(exchange.id) }
      return true
    case .refused: return false
    case .corrupt: return refuse("its body is not valid \(decoder.name) data", exchange)
    case .exceededTotal:
      return refuse(over: .decompressionRatio(limits.decompressionRatio), exchange)
    case .exceededInner: return refuse(over: .bodyBytes(limits.bodyBytes ?? 0), exchange)
    }
  }
}
#endif
