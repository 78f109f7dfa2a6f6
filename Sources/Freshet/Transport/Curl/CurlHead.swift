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
    bytes.withUnsafeBytes { head in
      var lines = Lines(bytes: head)
      guard let first = lines.next(), let status = status(of: part(of: head, first)) else {
        return nil
      }
      var fields = Fields(head)
      while let line = lines.next() { fields.read(line) }
      return ResponseHead(status: status, headers: fields.headers(of: bytes), url: url)
    }
  }

  /// Returns the code of the status line that begins a head.
  static func status(of head: [UInt8]) -> HTTPStatus? {
    head.withUnsafeBytes { head in
      var lines = Lines(bytes: head)
      return lines.next().flatMap { status(of: part(of: head, $0)) }
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

  fileprivate static func part(
    of bytes: UnsafeRawBufferPointer,
    _ place: Range<Int>
  ) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[place])
  }
}

// MARK: - Lines

extension CurlHead {
  /// The places of the lines without their line ends.
  private struct Lines {
    let bytes: UnsafeRawBufferPointer
    var start = 0

    mutating func next() -> Range<Int>? {
      guard start < bytes.count else { return nil }
      let end = bytes.offset(of: 0x0A, from: start) ?? bytes.count
      defer { start = end + 1 }
      let hasReturn = end > start && bytes[end - 1] == 0x0D
      return start..<(hasReturn ? end - 1 : end)
    }
  }

  /// The places of the fields, which are read line by line.
  private struct Fields {
    private let head: UnsafeRawBufferPointer
    private let isASCII: Bool
    private var lines: [ReceivedFields.Line] = []
    /// The values that differ from what was received; they follow the head.
    private var rewritten: [UInt8] = []
    /// A Boolean value that indicates whether the last line was no field; what continues it is none either.
    private var isSkipped = true

    init(_ head: UnsafeRawBufferPointer) {
      self.head = head
      isASCII = head.isASCII
      lines.reserveCapacity(16)
    }

    func headers(of bytes: [UInt8]) -> HTTPHeaders {
      HTTPHeaders(ReceivedFields(rewritten.isEmpty ? bytes : bytes + rewritten, lines))
    }

    mutating func read(_ line: Range<Int>) {
      let (start, end) = (line.lowerBound, line.upperBound)
      if start < end, ASCII.isSpace(head[start]) { return fold(line) }
      var nameEnd = start
      while nameEnd < end, ASCII.isToken(head[nameEnd]) { nameEnd += 1 }
      var colon = nameEnd
      while colon < end, isSpace(head[colon]) { colon += 1 }
      isSkipped = nameEnd == start || colon == end || head[colon] != UInt8(ascii: ":")
      guard !isSkipped else { return }
      let value = trimmed((colon + 1)..<end)
      lines.append(ReceivedFields.Line(name: start..<nameEnd, value: place(of: value)))
    }

    /// Joins a line to the value that it continues.
    private mutating func fold(_ line: Range<Int>) {
      let line = trimmed(line)
      guard !isSkipped, !line.isEmpty, let last = lines.indices.last else { return }
      var value = lines[last].value
      // What is rewritten ends with the last value, which grows in place: a copy for each of its lines would take
      // quadratic memory.
      if value.lowerBound < head.count { value = rewrite(utf8(value)) }
      if !value.isEmpty { rewritten.append(0x20) }
      rewritten += utf8(line)
      lines[last].value = value.lowerBound..<(head.count + rewritten.count)
    }

    /// Returns the place of a value as UTF-8.
    private mutating func place(of value: Range<Int>) -> Range<Int> {
      let isPlain = isASCII && part(of: head, value).offset(of: 0x0D) == nil
      return isPlain ? value : rewrite(utf8(value))
    }

    private mutating func rewrite(_ text: [UInt8]) -> Range<Int> {
      let start = head.count + rewritten.count
      rewritten += text
      return start..<(start + text.count)
    }

    /// Returns a part of the head as UTF-8, with spaces in place of lone CRs.
    private func utf8(_ place: Range<Int>) -> [UInt8] {
      let bytes = head[place].map { $0 == 0x0D ? 0x20 : $0 }
      if String(validating: bytes, as: UTF8.self) != nil { return bytes }
      return Array(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).utf8)
    }

    private func trimmed(_ place: Range<Int>) -> Range<Int> {
      var (start, end) = (place.lowerBound, place.upperBound)
      while start < end, isSpace(head[start]) { start += 1 }
      while start < end, isSpace(head[end - 1]) { end -= 1 }
      return start..<end
    }

    private func isSpace(_ byte: UInt8) -> Bool {
      ASCII.isSpace(byte) || byte == 0x0D
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
