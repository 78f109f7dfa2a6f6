import Foundation

@testable import Freshet

extension FuzzTarget {
  /// What arrives in chunks, and what leaves in parts.
  static let streamTargets: [FuzzTarget] = [
    FuzzTarget(
      "sse",
      maximumLength: 96,
      words: ["data:", "event:", "id:", "retry:", "\n\n", "\r\n", "\r", ":", "\u{FEFF}", "data"],
      seeds: ["data: a\ndata: b\n\n", "event: x\nid: 1\nretry: 5\ndata:\r\n\r\n:\n\n"],
      check: checkEvents
    ),
    FuzzTarget(
      "ndjson",
      words: ["\n", "\r\n", "{}", "\u{FEFF}", "[1]"],
      seeds: ["{\"a\":1}\n\n[2]\r\n3"],
      check: checkLines
    ),
    FuzzTarget(
      "multipart",
      words: ["\r\n", "\"", "; filename=", "--", "%22", "\u{2028}"],
      seeds: ["name\u{FF}file\u{FF}text/plain\u{FF}body"],
      check: checkMultipart
    ),
    FuzzTarget(
      "headers",
      maximumLength: 128,
      words: ["HTTP/1.1 200 OK\r\n", "\r\n", ": ", "\n ", "Content-Length: ", "Set-Cookie: "],
      seeds: ["HTTP/1.1 200 OK\r\nA: b\r\n c\r\nA: d\r\n\r\n", "HTTP/2 204\r\nx:y\r\n"],
      check: checkHead
    ),
    FuzzTarget(
      "websocket",
      maximumLength: 128,
      isBinary: true,
      words: [
        "\u{81}", "\u{01}", "\u{80}", "\u{88}", "\u{89}", "\u{03}\u{E8}", "\u{7E}", "\u{7F}",
        "\u{F4}",
      ],
      seeds: [
        "\u{0}\u{0}\u{0}\u{0}\u{1}\u{3}Hel", "\u{1}\u{2}\u{3}\u{4}\u{2}\u{2}ab\u{9}\u{0}",
        "\u{0}\u{0}\u{0}\u{0}\u{81}\u{3}Hel\u{89}\u{0}\u{88}\u{2}\u{3}\u{E8}",
        "\u{0}\u{0}\u{0}\u{0}\u{81}\u{83}\u{0}\u{0}\u{0}\u{0}Hel",
      ],
      check: checkFrames
    ),
    FuzzTarget(
      "permessage-deflate",
      maximumLength: 128,
      isBinary: true,
      words: ["\u{0}", "\u{1}", "\u{5}", "\u{0}\u{5}\u{0}\u{FF}\u{FF}", "\u{4B}\u{4C}"],
      seeds: [
        "\u{0}", "\u{4B}\u{4C}\u{4}\u{0}", "\u{1}\u{0}\u{0}\u{FF}\u{FF}\u{0}",
        // A letter, 120 times.
        "JL\u{1C}\u{18}\u{0}\u{0}",
      ],
      check: checkDeflate
    ),
  ]
}

/// Cuts the bytes as the first of them say.
private func chunks(_ bytes: [UInt8]) -> (whole: Data, pieces: [Data]) {
  let cuts = bytes.prefix(4)
  let body = Data(bytes.dropFirst(4))
  var pieces: [Data] = []
  var rest = body
  for cut in cuts {
    let piece = rest.prefix(Int(cut) % 24)
    pieces.append(piece)
    rest = rest.dropFirst(piece.count)
  }
  // What is left comes byte by byte, or at once.
  if cuts.first.map({ $0 & 0x80 != 0 }) == true {
    pieces += rest.map { Data([$0]) }
  } else {
    pieces.append(rest)
  }
  return (body, pieces)
}

private struct EventsRead: Equatable {
  var events: [ServerSentEvent] = []
  var lastEventID = ""
  var retry: Duration?
  var isTooLong = false
}

private func events(of pieces: [Data], limit: Int) -> EventsRead {
  var splitter = LineSplitter(.any, limit: limit)
  var parser = ServerSentEventParser(limit: limit)
  var read = EventsRead()
  do {
    for piece in pieces {
      splitter.take(piece)
      while let line = try splitter.next() {
        if let event = try parser.take(line) { read.events.append(event) }
      }
    }
  } catch {
    read.isTooLong = true
  }
  read.lastEventID = parser.lastEventID
  read.retry = parser.retry
  return read
}

private func checkEvents(_ bytes: [UInt8]) throws {
  let (whole, pieces) = chunks(bytes)
  for limit in [8, 1 << 20] {
    let expected = events(of: [whole], limit: limit)
    let actual = events(of: pieces, limit: limit)
    try hold(expected == actual, "another chunking gives \(actual), not \(expected)")
    for event in expected.events {
      try hold(event.data.utf8.count <= 3 * limit, "an event is longer than its limit")
      try hold(!event.id.utf8.contains(0), "an id holds a null")
      try hold(!event.type.isEmpty, "an event has no type")
    }
  }
}

private func lines(of pieces: [Data], limit: Int) -> [Data]? {
  var splitter = LineSplitter(.lineFeed, limit: limit)
  var lines: [Data] = []
  do {
    for piece in pieces {
      splitter.take(piece)
      while let line = try splitter.next() { lines.append(line) }
    }
    if let rest = try splitter.rest() { lines.append(rest) }
    return lines
  } catch {
    return nil
  }
}

private func checkLines(_ bytes: [UInt8]) throws {
  let (whole, pieces) = chunks(bytes)
  for limit in [6, 1 << 20] {
    let expected = lines(of: [whole], limit: limit)
    let actual = lines(of: pieces, limit: limit)
    try hold(expected == actual, "another chunking gives other lines")
    try hold(expected?.allSatisfy { $0.count <= limit } ?? true, "a line is over its limit")
    guard let expected, limit > 6 else { continue }
    let content = expected.reduce(0) { $0 + $1.count }
    try hold(content <= whole.count, "there are more bytes than came")
    var reference = whole.split(separator: 0x0A, omittingEmptySubsequences: false)
    if reference.last?.isEmpty == true { reference.removeLast() }
    try hold(reference.count == expected.count, "there are other lines than line feeds")
  }
}

private func checkMultipart(_ bytes: [UInt8]) throws {
  var input = InputBytes(bytes)
  let (name, filename, type) = (input.text(), input.text(), input.text())
  let body = Data(input.all())
  var generator = SystemRandomNumberGenerator()
  let part = MultipartBody.Part.bytes(
    name,
    body,
    filename: filename.isEmpty ? nil : filename,
    contentType: type.isEmpty ? nil : MediaType(type) ?? MediaType(type, type)
  )
  let multipart = MultipartBody([part, part], using: &generator)
  let sections: [MultipartSection]
  do {
    sections = try multipart.parts.map { part throws(FreshetError) in try MultipartSection(part) }
  } catch {
    return
  }
  let chunks = MultipartChunks(boundary: multipart.boundary, sections: sections)
  var text = Data()
  for index in sections.indices { text += chunks.opening(index) + body }
  text += chunks.closing
  try hold(chunks.length == Int64(text.count), "the length is not the one announced")
  let header = String(decoding: sections[0].header, as: UTF8.self)
  let lines = header.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
  try hold(lines.count == (type.isEmpty ? 3 : 4), "a part has other lines than its own")
  let beginning = "Content-Disposition: form-data; name=\"".utf8
  try hold(header.utf8.starts(with: beginning), "it is no form's part")
  let marks = lines[0].count { $0 == ASCII.quote }
  try hold(marks == (filename.isEmpty ? 2 : 4), "a name ends its field")
  let returns = header.utf8.count { $0 == 0x0D }
  try hold(returns == lines.count - 1, "a carriage return stands alone")
  try hold(sections[0].header.suffix(4).elementsEqual("\r\n\r\n".utf8), "its head does not end")
}

private func checkHead(_ bytes: [UInt8]) throws {
  #if !canImport(Darwin)
  guard let head = CurlHead.parse(bytes, url: somewhere) else { return }
  try hold((0...999).contains(head.status.rawValue), "its status has other digits")
  var lines = "HTTP/1.1 \(String(head.status.rawValue + 1_000).dropFirst())\r\n"
  for field in head.headers {
    let value = field.value.utf8
    try hold(!value.contains(0x0A), "a value has two lines")
    try hold(value.first.map { !ASCII.isSpace($0) } ?? true, "a value begins with a space")
    try hold(value.last.map { !ASCII.isSpace($0) } ?? true, "a value ends with a space")
    try hold(!field.name.rawValue.isEmpty, "a field has no name")
    lines += "\(field.name): \(field.value)\r\n"
  }
  let again = CurlHead.parse(Array(lines.utf8), url: somewhere)
  try hold(again == head, "a head, printed, is another one")
  for field in head.headers.prefix(8) {
    let members = head.headers.members(of: field.name)
    try hold(members.allSatisfy { !$0.isEmpty }, "a member is empty")
  }
  _ = head.framingProblem
  _ = head.decodedLength
  try hold(!head.description.utf8.contains(0x0A), "a description has two lines")
  #endif
}

private struct FramesRead: Equatable {
  var events: [WebSocketDecoder.Event] = []
  var violation: WebSocketViolation?
}

private func frames(
  of pieces: [Data],
  from peer: WebSocketRole,
  limit: Int,
  inflates: Bool
) throws -> FramesRead {
  var decoder = WebSocketDecoder(from: peer, limit: limit)
  decoder.inflates = inflates
  var read = FramesRead()
  do throws(WebSocketViolation) {
    for piece in pieces {
      decoder.receive(piece)
      while let event = try decoder.next() { read.events.append(event) }
    }
  } catch {
    read.violation = error
  }
  let longest = inflates ? WebSocketDeflate.compressedLimit(limit) : limit
  try hold(decoder.heldCount <= longest + 125 + 14, "it holds more than a message and a ping")
  return read
}

private func checkFrames(_ bytes: [UInt8]) throws {
  let (whole, pieces) = chunks(bytes)
  for peer in [WebSocketRole.client, .server] {
    for (limit, inflates) in [(6, false), (6, true), (1 << 20, false), (1 << 20, true)] {
      let expected = try frames(of: [whole], from: peer, limit: limit, inflates: inflates)
      let actual = try frames(of: pieces, from: peer, limit: limit, inflates: inflates)
      try hold(expected == actual, "another chunking gives \(actual), not \(expected)")
      try checkAgain(expected.events, limit: limit, inflates: inflates)
    }
  }
}

/// What is expanded is within its limit, and is the same after it has been compressed again.
private func checkDeflate(_ bytes: [UInt8]) throws {
  for limit in [10, 1 << 20] {
    guard let message = try? WebSocketDeflate.inflate(bytes, limit: limit) else { continue }
    try hold(message.count <= limit, "\(message.count) bytes are more than \(limit)")
    guard let short = WebSocketDeflate.deflate(message) else { continue }
    try hold(short.count < message.count, "\(message.count) bytes became \(short.count)")
    let again = try WebSocketDeflate.inflate(short, limit: limit)
    try hold(again == message, "\(message) is \(again) again")
  }
}

/// What was read is sent, and read again.
private func checkAgain(
  _ events: [WebSocketDecoder.Event],
  limit: Int,
  inflates: Bool
) throws {
  var outbox = WebSocketOutbox(.client, fragment: 3)
  var decoder = WebSocketDecoder(from: .client, limit: limit)
  (outbox.deflates, decoder.inflates) = (inflates, inflates)
  for event in events {
    switch event {
    case .message(let message):
      try hold(message.byteCount <= limit, "a message is longer than its limit")
      outbox.append(message)
    case .ping(let payload): outbox.ping(payload)
    case .pong(let payload): outbox.pong(payload)
    case .close(let close): outbox.close(close)
    }
    while let frame = outbox.next({ 0x0102_0304 }) { decoder.receive(frame) }
    let again = try decoder.next()
    try hold(again == event, "\(event) is \(String(describing: again)) again")
  }
}
