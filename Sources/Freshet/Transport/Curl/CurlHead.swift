#if !canImport(Darwin)
import FreshetEssentials

/// Parses the head lines that libcurl delivers.
enum CurlHead {
  /// Parses a status line and field lines, each with its line end.
  ///
  /// Values are decoded as UTF-8 if they are valid, as Latin-1 otherwise. Folded lines are joined by a
  /// space (RFC 9112 section 5.2), and a lone CR is replaced by one (RFC 9110 section 5.5). Lines
  /// without a colon, and those whose name is not a token, are skipped.
  static func parse(_ bytes: [UInt8], url: URL) -> ResponseHead? {
    bytes.withUnsafeBytes { bytes in
      var lines = Lines(bytes: bytes)
      guard let first = lines.next(), let status = status(of: first) else { return nil }
      var fields: [HTTPHeaders.Field] = []
      fields.reserveCapacity(16)
      // The continuation of a skipped line is skipped too.
      var isSkipped = true
      while let line = lines.next() {
        if let byte = line.first, ASCII.isSpace(byte) {
          guard !isSkipped, let last = fields.popLast() else { continue }
          let value = [last.value, text(trimmed(line))].filter { !$0.isEmpty }
          fields.append(HTTPHeaders.Field(name: last.name, value: value.joined(separator: " ")))
          continue
        }
        let colon = line.offset(of: UInt8(ascii: ":"))
        let name = colon.flatMap { HTTPHeaders.Name(token: trimmed(part(of: line, 0, $0))) }
        isSkipped = name == nil
        guard let colon, let name else { continue }
        let value = text(trimmed(part(of: line, colon + 1, line.count)))
        fields.append(HTTPHeaders.Field(name: name, trimmed: value))
      }
      return ResponseHead(status: status, headers: HTTPHeaders(fields), url: url)
    }
  }

  /// Returns the code of the status line that begins a head.
  static func status(of head: [UInt8]) -> HTTPStatus? {
    head.withUnsafeBytes { head in
      var lines = Lines(bytes: head)
      return lines.next().flatMap(status)
    }
  }

  /// Returns the code of a status line such as `HTTP/1.1 200 OK` or `HTTP/2 200`.
  private static func status(of line: UnsafeRawBufferPointer) -> HTTPStatus? {
    guard let space = line.offset(of: 0x20) else { return nil }
    var start = space
    while start < line.count, line[start] == 0x20 { start += 1 }
    var code = 0
    var end = start
    while end < line.count, line[end] != 0x20 {
      guard ASCII.isDigit(line[end]), end < start + 3 else { return nil }
      code = code * 10 + Int(line[end] &- 0x30)
      end += 1
    }
    return end == start + 3 ? HTTPStatus(code) : nil
  }

  private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var start = 0
    var end = bytes.count
    while start < end, isSpace(bytes[start]) { start += 1 }
    while start < end, isSpace(bytes[end - 1]) { end -= 1 }
    return part(of: bytes, start, end)
  }

  fileprivate static func part(
    of bytes: UnsafeRawBufferPointer,
    _ start: Int,
    _ end: Int
  ) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[start..<end])
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    ASCII.isSpace(byte) || byte == 0x0D
  }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    // Nearly all values are ASCII, for which the general validation is slow.
    if bytes.offset(of: 0x0D) == nil, bytes.isASCII {
      return String(decoding: bytes, as: UTF8.self)
    }
    return unusualText(bytes.map { $0 == 0x0D ? 0x20 : $0 })
  }

  private static func unusualText(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}

extension CurlHead {
  /// The lines without their line ends.
  private struct Lines {
    let bytes: UnsafeRawBufferPointer
    var start = 0

    mutating func next() -> UnsafeRawBufferPointer? {
      guard start < bytes.count else { return nil }
      let end = bytes.offset(of: 0x0A, from: start) ?? bytes.count
      defer { start = end + 1 }
      let hasReturn = end > start && bytes[end - 1] == 0x0D
      return part(of: bytes, start, hasReturn ? end - 1 : end)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the offset of the first such byte, or `nil`.
  fileprivate func offset(of byte: UInt8, from start: Int = 0) -> Int? {
    guard start < count, let base = baseAddress else { return nil }
    return memchr(base + start, Int32(byte), count - start).map { UnsafeRawPointer($0) - base }
  }

  /// A Boolean value that indicates whether all bytes are ASCII; they are read eight at a time.
  fileprivate var isASCII: Bool {
    var bits: UInt64 = 0
    var position = 0
    while position + 8 <= count {
      bits |= loadUnaligned(fromByteOffset: position, as: UInt64.self)
      position += 8
    }
    for byte in self[position...] { bits |= UInt64(byte) }
    return bits & 0x8080_8080_8080_8080 == 0
  }
}
#endif
