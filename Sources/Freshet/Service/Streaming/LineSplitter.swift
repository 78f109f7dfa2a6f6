import FreshetEssentials

/// Splits chunks into lines, whatever the chunks' boundaries are.
struct LineSplitter {
  /// The characters that end a line.
  enum Ending {
    /// LF or CRLF.
    case lineFeed
    /// LF, CRLF or CR.
    case any
  }

  private let ending: Ending
  private let limit: Int
  private var carry = Data()
  private var chunk = Data()
  /// The number of bytes of the chunk that have been read.
  private var position = 0
  private var skipsLineFeed = false
  private var isFirst = true

  private static let lineFeed: UInt8 = 0x0A
  private static let carriageReturn: UInt8 = 0x0D
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  init(_ ending: Ending, limit: Int) {
    self.ending = ending
    self.limit = limit
  }

  /// Takes a chunk; all lines of the previous one must have been read.
  mutating func take(_ chunk: Data) {
    self.chunk = chunk
    position = 0
  }

  /// Returns the next complete line, without its end, or `nil` if there is none.
  mutating func next() throws(FreshetError) -> Data? {
    guard position < chunk.count else { return nil }
    let start = chunk.startIndex
    if skipsLineFeed {
      skipsLineFeed = false
      if chunk[start + position] == Self.lineFeed { position += 1 }
    }
    guard let end = lineEnd else {
      carry.append(chunk[(start + position)...])
      position = chunk.count
      // One more for a CR whose LF has not arrived, and a byte order mark does not count.
      let mark = isFirst && carry.starts(with: Self.byteOrderMark) ? 3 : 0
      guard carry.count - mark - 1 <= limit else { throw tooLong }
      return nil
    }
    skipsLineFeed = chunk[start + end] == Self.carriageReturn
    var line = chunk[(start + position)..<(start + end)]
    position = end + 1
    if !carry.isEmpty {
      line = carry + line
      carry = Data()
    }
    return try finished(line)
  }

  /// Returns the bytes after the last line end, or `nil` if there are none.
  mutating func rest() throws(FreshetError) -> Data? {
    guard !carry.isEmpty else { return nil }
    defer { carry = Data() }
    return try finished(carry, endsWithLineFeed: false)
  }

  /// The offset of the next line end, searched in the chunk's memory, because `Data` is slow byte by byte.
  private var lineEnd: Int? {
    chunk.withUnsafeBytes { bytes in
      let rest = bytes[position...]
      return switch ending {
      case .lineFeed: rest.firstIndex(of: Self.lineFeed)
      case .any: rest.firstIndex { $0 == Self.lineFeed || $0 == Self.carriageReturn }
      }
    }
  }

  private var tooLong: FreshetError { .limitExceeded(.lineBytes(limit), url: "") }

  private mutating func finished(
    _ line: Data,
    endsWithLineFeed: Bool = true
  ) throws(FreshetError) -> Data {
    var line = line
    if endsWithLineFeed, case .lineFeed = ending, line.last == Self.carriageReturn {
      line.removeLast()
    }
    if isFirst {
      isFirst = false
      if line.starts(with: Self.byteOrderMark) { line = line.dropFirst(3) }
    }
    guard line.count <= limit else { throw tooLong }
    return line
  }
}
