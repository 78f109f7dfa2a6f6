#if !canImport(Darwin)
import Foundation

/// Parses the head lines that libcurl delivers.
enum CurlHead {
  /// Parses a status line and field lines, each with its line end.
  ///
  /// Values are decoded as UTF-8 if they are valid, as Latin-1 otherwise. Folded lines are joined by a
  /// space (RFC 9112 section 5.2), and a lone CR is replaced by one (RFC 9110 section 5.5). Lines
  /// without a colon, and those whose name is not a token, are skipped.
  static func parse(_ bytes: [UInt8], url: URL) -> ResponseHead? {
    bytes.withUnsafeBufferPointer { bytes in
      var lines = Lines(bytes: bytes)
      guard let first = lines.next(), let status = status(of: first) else { return nil }
      var fields: [HTTPHeaders.Field] = []
      fields.reserveCapacity(16)
      // The continuation of a skipped line is skipped too.
      var isSkipped = true
      while let line = lines.next() {
        if let byte = line.first, byte == 0x20 || byte == 0x09 {
          guard !isSkipped, let last = fields.popLast() else { continue }
          let value = [last.value, text(trimmed(line[...]))].filter { !$0.isEmpty }
          fields.append(HTTPHeaders.Field(name: last.name, value: value.joined(separator: " ")))
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex {
          let token = trimmed(line[..<colon])
          isSkipped = token.isEmpty || !token.allSatisfy(ASCII.isToken)
          guard !isSkipped else { continue }
          let name = HTTPHeaders.Name(text(token))
          let value = text(trimmed(line[(colon + 1)...]))
          fields.append(HTTPHeaders.Field(name: name, value: value))
        } else {
          isSkipped = true
        }
      }
      return ResponseHead(status: status, headers: HTTPHeaders(fields), url: url)
    }
  }

  /// Returns the code of a status line such as `HTTP/1.1 200 OK` or `HTTP/2 200`.
  static func status(of line: Slice<UnsafeBufferPointer<UInt8>>) -> HTTPStatus? {
    guard let space = line.firstIndex(of: 0x20) else { return nil }
    let digits = line[(space + 1)...].drop { $0 == 0x20 }.prefix { $0 != 0x20 }
    guard digits.count == 3, digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
    return HTTPStatus(digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
  }

  private static func trimmed(
    _ bytes: Slice<UnsafeBufferPointer<UInt8>>
  ) -> UnsafeBufferPointer<UInt8> {
    var bytes = bytes
    while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    return UnsafeBufferPointer(rebasing: bytes)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    ASCII.isSpace(byte) || byte == 0x0D
  }

  private static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    // Nearly all values are ASCII, for which the general validation is slow.
    if bytes.allSatisfy({ $0 < 0x80 && $0 != 0x0D }) {
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
    let bytes: UnsafeBufferPointer<UInt8>
    var start = 0

    mutating func next() -> Slice<UnsafeBufferPointer<UInt8>>? {
      guard start < bytes.count else { return nil }
      let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.endIndex
      defer { start = end + 1 }
      return bytes[start..<end].last == 0x0D ? bytes[start..<(end - 1)] : bytes[start..<end]
    }
  }
}
#endif
