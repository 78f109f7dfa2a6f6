#if !canImport(Darwin)
import CCurl

extension CurlHandle {
  /// A Boolean value that indicates whether received bytes have to wait, for the reader or for earlier bytes.
  var isHeldBack: Bool { isReceivingPaused || decoder?.isWaiting == true }

  /// Continues to decode waiting bytes.
  ///
  /// - Parameter work: The remaining work of this turn, see ``ContentDecoder``.
  func goOnDecoding(_ work: inout Int) {
    guard let decoder else { return }
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
    let bounds = ContentBounds(limits, received: received + Int64(Self.bufferSize))
    switch step(bounds, { take(decoded: $0, for: exchange) }) {
    case .decoded: break
    case .waiting: if !isReceivingPaused { loop.decodeLater(exchange.id) }
    case .refused: return false
    case .corrupt:
      let reason = "its body is not valid \(decoder.name) data"
      failure = .invalidResponse(reason, url: exchange.shownURL)
      return false
    case .exceededTotal:
      let limit = FreshetError.Limit.decompressionRatio(limits.decompressionRatio)
      failure = .limitExceeded(limit, url: exchange.shownURL)
      return false
    case .exceededInner:
      let limit = FreshetError.Limit.bodyBytes(limits.bodyBytes ?? 0)
      failure = .limitExceeded(limit, url: exchange.shownURL)
      return false
    }
    return true
  }

  /// Delivers a decoded piece, which cannot be refused any more.
  private func take(
    decoded piece: UnsafeRawBufferPointer,
    for exchange: CurlExchange
  ) -> ContentDecoder.Demand {
    guard isWithinLimit(of: exchange, piece.count) else { return .none }
    let (reception, wakes) = exchange.receive(piece, insists: true)
    if wakes { loop.wake(exchange) }
    guard reception != .failed else { return .none }
    decoded += Int64(piece.count)
    guard reception == .full else { return .more }
    deadlines.isPaused = true
    isReceivingPaused = true
    return .pause
  }
}
#endif
