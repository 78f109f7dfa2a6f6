import Foundation

/// Cuts chunks into lines, whatever the chunks' boundaries are.
struct LineSplitter {
  /// Where a line ends.
  enum Ending {
    /// At LF or CRLF.
    case lineFeed
    /// At LF, CRLF or CR.
    case any
  }

  /// A line is longer than it may be.
  struct LineTooLong: Error {}

  private let ending: Ending
  private let limit: Int
  private var carry = Data()
  private var chunk = Data()
  private var skipsLineFeed = false
  private var isFirst = true

  private static let lineFeed: UInt8 = 0x0A
  private static let carriageReturn: UInt8 = 0x0D

  init(_ ending: Ending, limit: Int) {
    self.ending = ending
    self.limit = limit
  }

  /// Takes a chunk; all lines of the one before have been read.
  mutating func take(_ chunk: Data) {
    self.chunk = chunk
  }

  /// The next line that is complete, without its end, or `nil` if there is none.
  mutating func next() throws(LineTooLong) -> Data? {
    if skipsLineFeed, let first = chunk.first {
      skipsLineFeed = false
      if first == Self.lineFeed { chunk.removeFirst() }
    }
    guard let end = lineEnd else {
      carry.append(chunk)
      chunk = Data()
      // One more for a CR whose LF is still to come.
      guard carry.count <= limit + 1 else { throw LineTooLong() }
      return nil
    }
    skipsLineFeed = chunk[end] == Self.carriageReturn
    let line = carry.isEmpty ? chunk[..<end] : carry + chunk[..<end]
    chunk = chunk[(end + 1)...]
    carry = Data()
    return try finished(line)
  }

  /// What stands behind the last line end, or `nil` if nothing does.
  mutating func rest() throws(LineTooLong) -> Data? {
    guard !carry.isEmpty else { return nil }
    defer { carry = Data() }
    return try finished(carry)
  }

  private var lineEnd: Data.Index? {
    switch ending {
    case .lineFeed: chunk.firstIndex(of: Self.lineFeed)
    case .any: chunk.firstIndex { $0 == Self.lineFeed || $0 == Self.carriageReturn }
    }
  }

  private mutating func finished(_ line: Data) throws(LineTooLong) -> Data {
    var line = line
    if case .lineFeed = ending, line.last == Self.carriageReturn { line.removeLast() }
    if isFirst {
      isFirst = false
      if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
    }
    guard line.count <= limit else { throw LineTooLong() }
    return line
  }
}
