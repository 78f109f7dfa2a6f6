#if !canImport(Darwin)
import CCurl
import FreshetEssentials

extension CurlHandle {
  /// Receives a line of a head, or of the trailers, with its line end.
  ///
  /// - Returns: The result for libcurl: the size of the line to continue, 0 to fail.
  func receive(line: UnsafeRawBufferPointer) -> Int {
    guard let exchange else { return 0 }
    listenIfNeeded()
    deadlines.lastActivity = loop.now
    lineBytes += line.count
    let isBlank = line.count <= 2 && line.last == 0x0A && (line.count == 1 || line[0] == 0x0D)
    if !lines.isEmpty || deadlines.hasHead, !isBlank { lineCount += 1 }
    guard isWithinLimits(of: exchange) else { return 0 }
    // The lines after the head are trailers.
    guard !deadlines.hasHead else { return line.count }
    guard isBlank else {
      note(line, of: exchange)
      // Most heads fit, so that the array does not grow line by line.
      if lines.isEmpty { lines.reserveCapacity(512) }
      lines.append(contentsOf: line)
      return line.count
    }
    guard canFrame(exchange) else { return 0 }
    publishHead(to: exchange)
    return line.count
  }

  /// Receives a chunk of the body.
  ///
  /// - Returns: The size of the chunk to continue, `CURL_WRITEFUNC_PAUSE` to receive it again later, 0
  ///   to fail.
  func receive(body chunk: UnsafeRawBufferPointer) -> Int {
    guard let exchange else { return 0 }
    deadlines.lastActivity = loop.now
    guard prepareDecoder(for: exchange) else { return 0 }
    guard let decoder else {
      let count = take(chunk, for: exchange)
      if count == chunk.count { noteArrival(of: count) }
      return count
    }
    // Waiting bytes come first; libcurl keeps the new ones.
    guard !isHeldBack else { return Int(CURL_WRITEFUNC_PAUSE) }
    guard decode(with: decoder, { decoder.decode(chunk, &loop.decodingWork, within: $0, into: $1) })
    else { return 0 }
    noteArrival(of: chunk.count)
    return chunk.count
  }

  /// Delivers a piece of the body to the reader.
  private func take(_ piece: UnsafeRawBufferPointer, for exchange: CurlExchange) -> Int {
    guard isWithinLimit(of: exchange, piece.count) else { return 0 }
    let (reception, wakes) = exchange.receive(piece, insists: false)
    if wakes { loop.wake(exchange) }
    switch reception {
    case .taken: break
    case .failed: return 0
    case .full:
      deadlines.isPaused = true
      isReceivingPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    decoded += Int64(piece.count)
    return piece.count
  }
}

extension CurlHandle {
  /// Notes the header fields that describe the body's framing and coding.
  private func note(_ line: UnsafeRawBufferPointer, of exchange: CurlExchange) {
    // Most lines begin with another letter.
    guard line[0] | 0x20 == UInt8(ascii: "c") || line[0] | 0x20 == UInt8(ascii: "t") else { return }
    if exchange.fields.decodes, let value = Self.value(of: "content-encoding:", in: line) {
      codings.append(value)
    }
    if upload != nil, let value = Self.value(of: "content-length:", in: line) {
      arrival.length = ASCII.integer(value)
    }
    guard let value = Self.value(of: "transfer-encoding:", in: line) else { return }
    arrival.isChunked = true
    transferCodings += FieldList.members(of: value).map { ASCII.lowercased($0) }
  }

  /// Returns whether the body's end and coding are known.
  ///
  /// A body with an unknown transfer coding ends with its connection (RFC 9112 section 6.3), and is
  /// delivered as received. One that is both encoded and chunked, or has a coding that the request
  /// deliberately did not offer, is refused: libcurl would decode it without limits.
  private func canFrame(_ exchange: CurlExchange) -> Bool {
    guard !transferCodings.allSatisfy(TransferCoding.isPlain) else { return true }
    let reason: String
    if !transferCodings.allSatisfy(TransferCoding.isUnknown) {
      reason = "its transfer coding was not requested"
    } else if CurlHead.parse(lines, url: exchange.request.url)?.headers.contains(.contentLength)
      ?? true
    {
      // Conflicting ends allow response smuggling.
      reason = "it has a Content-Length beside a transfer coding"
    } else {
      return true
    }
    failure = .invalidResponse(reason, url: exchange.shownURL)
    return false
  }

  private func publishHead(to exchange: CurlExchange) {
    let status = CurlHead.status(of: lines)
    if let connection {
      loop.noteAnswer(on: connection, isSerial: lines.starts(with: Self.serialProtocol))
    }
    // 101 is a final response for this transport.
    if let status, status.isInformational, status != 101 {
      if status != 100, interimCount < Self.interimLimit {
        interimCount += 1
        if exchange.receive(interim: lines) { loop.wake(exchange) }
      }
      lines.removeAll(keepingCapacity: true)
      codings.removeAll()
      transferCodings.removeAll()
      arrival = CurlArrival()
      return
    }
    // Later bytes on the connection would be a part of this body.
    if transferCodings.contains(where: TransferCoding.isUnknown) || status == 101 {
      forbidReuse(true)
    }
    // What follows has no length (RFC 9110 section 8.6); libcurl ignores the field as well.
    if status == 101 { arrival = CurlArrival() }
    deadlines.hasHead = true
    noteArrival(ofHeadWith: status)
    // The idle timeout may be shorter than the one for the head.
    loop.watch(self)
    let head = lines
    lines = []
    if exchange.receive(head: head) { loop.wake(exchange) }
  }

  /// The largest number of interim responses that are delivered for an exchange.
  private static let interimLimit = 32

  /// The prefix of a head on a connection that takes one request after another.
  private static let serialProtocol = Array("HTTP/1.".utf8)

  /// Creates a decoder if the response has an encoded body, which the response to `HEAD` does not.
  private func prepareDecoder(for exchange: CurlExchange) -> Bool {
    guard decoder == nil, !codings.isEmpty else { return true }
    // Unknown codings are delivered as received, with the field.
    guard ContentDecoder.knows(codings) else {
      codings.removeAll()
      return true
    }
    guard let decoder = ContentDecoder(codings) else {
      let reason = "it has more than two content codings"
      failure = .invalidResponse(reason, url: exchange.shownURL)
      return false
    }
    if !decoder.isIdle { self.decoder = decoder }
    codings.removeAll()
    return true
  }

  private func isWithinLimits(of exchange: CurlExchange) -> Bool {
    let limits = exchange.request.limits
    if lineCount > limits.headerCount {
      failure = .limitExceeded(.headerCount(limits.headerCount), url: exchange.shownURL)
      return false
    }
    if lineBytes > limits.headerBytes {
      failure = .limitExceeded(.headerBytes(limits.headerBytes), url: exchange.shownURL)
      return false
    }
    return true
  }

  /// Returns whether the body may have this many more decoded bytes.
  func isWithinLimit(of exchange: CurlExchange, _ count: Int) -> Bool {
    guard let limit = exchange.request.limits.bodyBytes, decoded + Int64(count) > limit else {
      return true
    }
    failure = .limitExceeded(.bodyBytes(limit), url: exchange.shownURL)
    return false
  }

  /// Returns the value of a line with a name, which is in lower case and with its colon.
  private static func value(of name: StaticString, in line: UnsafeRawBufferPointer) -> String? {
    guard line.count > name.utf8CodeUnitCount, line[0] | 0x20 == name.utf8Start.pointee else {
      return nil
    }
    let isNamed = name.withUTF8Buffer { name in
      zip(line, name).allSatisfy { ASCII.lowercased($0) == $1 }
    }
    guard isNamed else { return nil }
    let text = String(decoding: line.dropFirst(name.utf8CodeUnitCount), as: UTF8.self)
    return String(ASCII.trimmed(Substring(text.utf8.prefix { $0 != 0x0D && $0 != 0x0A })))
  }
}
#endif
