#if !canImport(Darwin)
import CCurl
import FreshetEssentials

extension CurlHandle {
  /// Receives a line of a head, or of the trailers, with its line end.
  ///
  /// - Returns: The result for libcurl: the size of the line to continue, 0 to fail.
  func receive(line: UnsafeRawBufferPointer) -> Int {
    guard let exchange, state.failure == nil else { return 0 }
    listenIfNeeded()
    // Otherwise a server could put off the timeout for the head line by line.
    noteReceived(renews: deadlines.hasHead)
    state.lineBytes += line.count
    let isBlank = line.count <= 2 && line.last == 0x0A && (line.count == 1 || line[0] == 0x0D)
    if !state.lines.isEmpty || deadlines.hasHead, !isBlank { state.lineCount += 1 }
    guard isWithinLimits(of: exchange) else { return 0 }
    // The lines after the head are trailers.
    guard !deadlines.hasHead else { return line.count }
    guard isBlank else {
      guard note(line, of: exchange) else { return 0 }
      // Most heads fit, so that the array does not grow line by line.
      if state.lines.isEmpty {
        state.lines.reserveCapacity(512)
        examineNextLine()
      }
      state.lines.append(contentsOf: line)
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
    noteReceived()
    guard prepareDecoder(for: exchange) else { return 0 }
    guard let decoder = state.decoder else {
      switch take(chunk, for: exchange, insists: false) {
      case .more: break
      case .pause: return Int(CURL_WRITEFUNC_PAUSE)
      case .none: return 0
      }
      noteArrival(of: chunk.count)
      return chunk.count
    }
    // Waiting bytes come first; libcurl keeps the new ones.
    guard !isHeldBack else { return Int(CURL_WRITEFUNC_PAUSE) }
    guard decode(with: decoder, { decoder.decode(chunk, &loop.decodingWork, within: $0, into: $1) })
    else { return 0 }
    noteArrival(of: chunk.count)
    return chunk.count
  }

  /// Notes that bytes have arrived, for the timeouts and for the others on the connection.
  private func noteReceived(renews: Bool = true) {
    let now = loop.now
    if renews { deadlines.lastActivity = now }
    if let connection { loop.sockets[Int(connection)].lastReceived = now }
  }

  /// Delivers a piece of the body to the reader; with `insists`, it is accepted even if the buffer is full.
  func take(
    _ piece: UnsafeRawBufferPointer,
    for exchange: CurlExchange,
    insists: Bool
  ) -> BodyDemand {
    guard isWithinLimit(of: exchange, piece.count) else { return .none }
    let (demand, wakes) = exchange.receive(piece, insists: insists)
    if wakes { loop.wake(exchange) }
    if demand == .pause {
      deadlines.isPaused = true
      state.isReceivingPaused = true
    }
    if demand == .more || insists { state.decoded += Int64(piece.count) }
    return demand
  }
}

extension CurlHandle {
  /// Notes the header fields that describe the body's framing and coding.
  ///
  /// libcurl finds a field by its name with the colon directly behind it, and reads one line of it. What
  /// ``CurlHead`` would read differently is refused: two ends of one body allow response smuggling.
  ///
  /// - Returns: A Boolean value that indicates whether both read the line alike.
  private func note(_ line: UnsafeRawBufferPointer, of exchange: CurlExchange) -> Bool {
    if ASCII.isSpace(line[0]) {
      return !state.isFraming || refuse("a field that frames its body has several lines", exchange)
    }
    state.isFraming = false
    // Most lines begin with another letter.
    guard line[0] | 0x20 == UInt8(ascii: "c") || line[0] | 0x20 == UInt8(ascii: "t"),
      let name = Self.framingNames.first(where: { Self.isNamed($0, line) })
    else { return true }
    state.isFraming = true
    guard line[name.utf8CodeUnitCount] == UInt8(ascii: ":") else {
      return refuse("a field that frames its body has no colon behind its name", exchange)
    }
    let value = line[(name.utf8CodeUnitCount + 1)...]
    if Self.isNamed("transfer-encoding", line) {
      state.arrival.isChunked = true
      state.transferCodings += FieldList.members(of: Self.text(value)).map { ASCII.lowercased($0) }
    } else if Self.isNamed("content-encoding", line) {
      if exchange.fields.decodes { state.codings.append(Self.text(value)) }
    } else {
      // Two lengths may differ: later bytes on the connection may be a part of this body.
      if state.hasLength || value.contains(ASCII.comma) { forbidReuse(true) }
      state.hasLength = true
      if state.upload != nil { state.arrival.length = ASCII.integer(Self.text(value)) }
    }
    return true
  }

  /// Returns whether the body's end and coding are known.
  ///
  /// A body with an unknown transfer coding ends with its connection (RFC 9112 section 6.3), and is
  /// delivered as received. One that is both encoded and chunked, or has a coding that the request
  /// deliberately did not offer, is refused: libcurl would decode it without limits.
  private func canFrame(_ exchange: CurlExchange) -> Bool {
    guard !state.transferCodings.allSatisfy(TransferCoding.isPlain) else { return true }
    let reason: String
    if !state.transferCodings.allSatisfy(TransferCoding.isUnknown) {
      reason = "its transfer coding was not requested"
    } else if CurlHead.parse(state.lines, url: exchange.request.url)?
      .headers.contains(.contentLength) ?? true
    {
      // Conflicting ends allow response smuggling.
      reason = "it has a Content-Length beside a transfer coding"
    } else {
      return true
    }
    return refuse(reason, exchange)
  }

  /// Notes the reason why the transfer fails.
  ///
  /// - Returns: `false`.
  func refuse(_ reason: String, _ exchange: CurlExchange) -> Bool {
    refuse(.invalidResponse(reason, url: exchange.shownURL))
  }

  /// Notes the limit that the response exceeds.
  ///
  /// - Returns: `false`.
  func refuse(over limit: FreshetError.Limit, _ exchange: CurlExchange) -> Bool {
    refuse(.limitExceeded(limit, url: exchange.shownURL))
  }

  private func refuse(_ failure: FreshetError) -> Bool {
    state.failure = failure
    loop.closeBehind(self)
    return false
  }

  private func publishHead(to exchange: CurlExchange) {
    let status = CurlHead.status(of: state.lines)
    if let connection {
      loop.noteAnswer(on: connection, isSerial: state.lines.starts(with: Self.serialProtocol))
    }
    // 101 is a final response for this transport.
    if let status, status.isInformational, status != 101 {
      if status != 100, state.interimCount < TransferEvent.interimLimit {
        state.interimCount += 1
        deadlines.lastActivity = loop.now
        if exchange.receive(interim: state.lines) { loop.wake(exchange) }
      }
      state.forgetHead()
      return
    }
    // Later bytes on the connection would be a part of this body, or may be (RFC 9112 section 6.1).
    let isOld = !state.transferCodings.isEmpty && state.lines.starts(with: Self.oldProtocol)
    if isOld || state.transferCodings.contains(where: TransferCoding.isUnknown) || status == 101 {
      forbidReuse(true)
    }
    // What follows has no length (RFC 9110 section 8.6); libcurl ignores the field as well.
    if status == 101 { state.arrival = CurlArrival() }
    // The server may wait for the body, which libcurl does not send, and take the next request for it.
    if state.upload != nil, state.uploaded == 0, exchange.request.headers.contains("Expect") {
      state.isExpectationFailed = status == 417
      if state.lines.starts(with: Self.serialProtocol) { forbidReuse(true) }
    }
    // No later request of the handle would wait for the server's consent.
    if status == 417 { isPinned = true }
    deadlines.hasHead = true
    // The idle timeout may be shorter than the one for the head.
    deadlines.lastActivity = loop.now
    noteArrival(ofHeadWith: status)
    loop.watch(self)
    let head = state.lines
    state.lines = []
    if exchange.receive(head: head) { loop.wake(exchange) }
  }

  /// The prefix of a head on a connection that takes one request after another.
  private static let serialProtocol = Array("HTTP/1.".utf8)
  private static let oldProtocol = Array("HTTP/1.0 ".utf8)

  /// Creates a decoder if the response has an encoded body, which the response to `HEAD` does not.
  private func prepareDecoder(for exchange: CurlExchange) -> Bool {
    guard state.decoder == nil, !state.codings.isEmpty else { return true }
    let codings = state.codings
    state.codings = []
    // Unknown codings are delivered as received, with the field.
    guard ContentDecoder.knows(codings) else { return true }
    guard let decoder = ContentDecoder(codings) else {
      return refuse("it has more than two content codings", exchange)
    }
    if !decoder.isIdle { state.decoder = decoder }
    return true
  }

  private func isWithinLimits(of exchange: CurlExchange) -> Bool {
    let limits = exchange.request.limits
    if state.lineCount > limits.headerCount {
      return refuse(over: .headerCount(limits.headerCount), exchange)
    }
    if state.lineBytes > limits.headerBytes {
      return refuse(over: .headerBytes(limits.headerBytes), exchange)
    }
    return true
  }

  /// Returns whether the body may have this many more decoded bytes.
  private func isWithinLimit(of exchange: CurlExchange, _ count: Int) -> Bool {
    let limit = exchange.request.limits.bodyBytes
    guard let limit, state.decoded + Int64(count) > limit else { return true }
    return refuse(over: .bodyBytes(limit), exchange)
  }

  private static let framingNames: [StaticString] = [
    "content-encoding", "content-length", "transfer-encoding",
  ]

  /// Returns whether a line has a name, which is in lower case.
  private static func isNamed(_ name: StaticString, _ line: UnsafeRawBufferPointer) -> Bool {
    let count = name.utf8CodeUnitCount
    guard line.count > count, !ASCII.isToken(line[count]) else { return false }
    return name.withUTF8Buffer { name in
      zip(line, name).allSatisfy { ASCII.lowercased($0) == $1 }
    }
  }

  /// Returns a value without its line end, with spaces in place of lone CRs as in ``CurlHead``.
  private static func text(_ value: Slice<UnsafeRawBufferPointer>) -> String {
    let bytes = value.map { $0 == 0x0D || $0 == 0x0A ? 0x20 : $0 }
    return String(ASCII.trimmed(Substring(decoding: bytes, as: UTF8.self)))
  }
}
#endif
