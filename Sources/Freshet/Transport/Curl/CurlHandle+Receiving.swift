#if os(Linux)
import CCurl
import Foundation

extension CurlHandle {
  /// Takes a line of a head, or of the trailers, with its line end.
  ///
  /// - Returns: What libcurl wants to hear: the line's size to go on.
  func receive(line: UnsafeRawBufferPointer) -> Int {
    guard let exchange else { return 0 }
    deadlines.lastActivity = loop.now
    lineBytes += line.count
    let isBlank = line.count <= 2 && line.last == 0x0A && (line.count == 1 || line[0] == 0x0D)
    if !lines.isEmpty || deadlines.hasHead, !isBlank { lineCount += 1 }
    guard isWithinLimits(of: exchange) else { return 0 }
    // What comes after the head are trailers.
    guard !deadlines.hasHead else { return line.count }
    guard isBlank else {
      if Self.isContentEncoding(line) { isEncoded = exchange.fields.decodes }
      // Most heads fit, so that the array does not have to grow line by line.
      if lines.isEmpty { lines.reserveCapacity(512) }
      lines.append(contentsOf: line)
      return line.count
    }
    publishHead(to: exchange)
    return line.count
  }

  /// Takes a chunk of the body.
  ///
  /// - Returns: The chunk's size to go on, `CURL_WRITEFUNC_PAUSE` to get it again later.
  func receive(body chunk: UnsafeRawBufferPointer) -> Int {
    guard let exchange else { return 0 }
    deadlines.lastActivity = loop.now
    if let limit = exceededLimit(of: exchange.request.limits, by: chunk.count) {
      failure = .limitExceeded(limit, url: exchange.shownURL)
      return 0
    }
    // A pause in the middle of decoding makes libcurl keep all that it decodes of its buffer,
    // beyond every limit; so what is decoded is taken, and the socket paused afterwards.
    let (reception, wakes) = exchange.receive(chunk, insists: isEncoded)
    if wakes { loop.wake(exchange) }
    switch reception {
    case .taken: break
    case .failed: return 0
    case .full:
      isReceivingPaused = true
      deadlines.isPaused = true
      guard isEncoded else { return Int(CURL_WRITEFUNC_PAUSE) }
      loop.pauseLater(self)
    }
    decoded += Int64(chunk.count)
    return chunk.count
  }
}

extension CurlHandle {
  private func publishHead(to exchange: CurlExchange) {
    let status = lines.withUnsafeBufferPointer { bytes in
      CurlHead.status(of: bytes.prefix { $0 != 0x0D && $0 != 0x0A })
    }
    // Interim responses say nothing that a reader wants; 101 is not one that is followed.
    if let status, status.isInformational, status != 101 {
      lines.removeAll(keepingCapacity: true)
      isEncoded = false
      return
    }
    deadlines.hasHead = true
    // The body may be waited for less long than the head.
    loop.watch(self)
    let head = lines
    lines = []
    if exchange.receive(head: head) { loop.wake(exchange) }
  }

  private func isWithinLimits(of exchange: CurlExchange) -> Bool {
    let limits = exchange.request.limits
    if lineCount > limits.headerCount {
      failure = .limitExceeded(.headerCount(limits.headerCount), url: exchange.shownURL)
    } else if lineBytes > limits.headerBytes {
      failure = .limitExceeded(.headerBytes(limits.headerBytes), url: exchange.shownURL)
    }
    return failure == nil
  }

  private func exceededLimit(of limits: ResponseLimits, by count: Int) -> FreshetError.Limit? {
    let total = decoded + Int64(count)
    if let limit = limits.bodyBytes, total > limit { return .bodyBytes(limit) }
    guard isEncoded, total > 32 << 20 else { return nil }
    // libcurl counts a chunked buffer after it has been decoded.
    let wire = received + Int64(Self.bufferSize)
    let (allowed, overflow) = wire.multipliedReportingOverflow(by: Int64(limits.decompressionRatio))
    return overflow || total <= allowed ? nil : .decompressionRatio(limits.decompressionRatio)
  }

  private static func isContentEncoding(_ line: UnsafeRawBufferPointer) -> Bool {
    let name: StaticString = "content-encoding:"
    guard line.count > name.utf8CodeUnitCount, line[0] | 0x20 == UInt8(ascii: "c") else {
      return false
    }
    return name.withUTF8Buffer { name in
      zip(line, name).allSatisfy { ASCII.lowercased($0) == $1 }
    }
  }
}
#endif
