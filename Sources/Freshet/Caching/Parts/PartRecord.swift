import FreshetEssentials

/// The record of the parts of a body, with which a later launch can answer from them.
///
/// It is a file of lines: this record as JSON, and then a line for each ``PartSegment``. A segment
/// is recorded after its bytes have been written, and its digest is compared whenever they are
/// read.
struct PartRecord: Sendable, Codable {
  /// The record of the whole, with the head that a `200` would have.
  var whole: PartialRecord
  /// The name of the file of the bytes, which belongs to one version only.
  let file: String

  /// The record's line.
  var line: Data { PartialRecord.line(self) }

  init(_ whole: PartialRecord, file: String) {
    self.whole = whole
    self.file = file
  }

  init?(line: Data) {
    guard let record = try? JSONDecoder().decode(PartRecord.self, from: line),
      record.file.utf8.allSatisfy(ASCII.isHexDigit), record.whole.head != nil,
      let total = record.whole.total, total > 0
    else { return nil }
    self = record
  }

  /// Returns the line that replaces the record of the whole, with a line feed before it in case the
  /// previous line is incomplete.
  static func renewal(_ whole: PartialRecord) -> Data { Data("\n".utf8) + whole.line }

  static func renewed(_ line: Data.SubSequence) -> PartialRecord? {
    try? JSONDecoder().decode(PartialRecord.self, from: Data(line))
  }
}

/// Some bytes of a part, and their digest.
struct PartSegment: Sendable, Hashable {
  let range: Range<Int64>
  let digest: SHA256Checksum

  /// The largest size of a segment; none crosses a multiple of it.
  static let cell: Int64 = 256 << 10

  /// The segment as a line, with a line feed before it in case the previous line is incomplete.
  var line: Data { Data("\n\(range.lowerBound) \(range.count) \(digest.hex)\n".utf8) }

  /// The line that says that its bytes are lost.
  var lostLine: Data { Data("\n-".utf8) + line.dropFirst() }

  init(_ range: Range<Int64>, _ digest: SHA256Checksum) {
    self.range = range
    self.digest = digest
  }

  init?(line: Data.SubSequence, total: Int64) {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.count == 3, let start = ASCII.integer(words[0]),
      let count = ASCII.integer(words[1]),
      count > 0, count <= Self.cell, start < total, count <= total - start,
      let digest = SHA256Checksum(hex: String(words[2]))
    else { return nil }
    self.init(start..<start + count, digest)
  }

  /// Reads a ``lostLine``.
  init?(lost line: Data.SubSequence, total: Int64) {
    guard line.first == UInt8(ascii: "-") else { return nil }
    self.init(line: line.dropFirst(), total: total)
  }
}
