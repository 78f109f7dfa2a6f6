import FreshetEssentials

/// A binary property list: values, a table of their places, and a trailer of 32 bytes.
struct BinaryPropertyList {
  private let bytes: [UInt8]
  /// The place of the table, behind all values.
  private let table: Int
  private let count: UInt64
  private let top: UInt64
  private let offsetSize: Int
  private let referenceSize: Int

  /// The extents of the containers that were met; `nil` while they are open.
  private var extents: [Int: Extent?] = [:]
  /// The number of values so far; those of a container count each time that it is referred to.
  private var visited = 0

  private struct Extent {
    /// The number of levels of containers, with its own.
    let height: Int
    /// The number of values in it.
    let size: Int
  }

  private static let damaged = DecodingFailure.Reason("the property list is damaged")

  /// Returns a list whose counts, places and references lead to what is there, and end.
  ///
  /// - Throws: A reason if they do not, or if the list is nested too deeply.
  static func checked(_ data: Data) throws -> Data {
    var list = try BinaryPropertyList([UInt8](data))
    _ = try list.visit(list.top, levels: PropertyList.depthLimit)
    return data
  }

  private init(_ bytes: [UInt8]) throws {
    let trailer = bytes.count - 32
    guard trailer > 8,
      let count = Self.number(in: bytes, at: trailer + 8, size: 8),
      let top = Self.number(in: bytes, at: trailer + 16, size: 8),
      let table = Self.number(in: bytes, at: trailer + 24, size: 8),
      count <= bytes.count, table <= trailer
    else { throw Self.damaged }
    self.bytes = bytes
    self.table = Int(table)
    self.count = count
    self.top = top
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
  }

  private static func number(in bytes: [UInt8], at place: Int, size: Int) -> UInt64? {
    guard (1...8).contains(size), place <= bytes.count - size else { return nil }
    return bytes[place..<place + size].reduce(0) { $0 << 8 | UInt64($1) }
  }
}

// MARK: - Walking

extension BinaryPropertyList {
  /// Visits a value, and the values in it unless they were visited before.
  ///
  /// - Parameters:
  ///   - value: The number of the value.
  ///   - levels: The number of levels of containers that it may have.
  /// - Returns: The number of levels that it has.
  /// - Throws: A reason if it has more, leads nowhere, or contains itself.
  private mutating func visit(_ value: UInt64, levels: Int) throws -> Int {
    guard value < count else { throw Self.damaged }
    try note(1)
    let index = Int(value)
    guard let references = try references(in: index) else { return 0 }
    if let known = extents[index] {
      guard let known else { throw DecodingFailure.Reason("the property list contains itself") }
      try note(known.size)
      guard known.height <= levels else { throw PropertyList.tooDeep }
      return known.height
    }
    guard levels > 0 else { throw PropertyList.tooDeep }
    extents[index] = .some(nil)
    let before = visited
    var height = 1
    for place in references {
      guard let part = Self.number(in: bytes, at: place, size: referenceSize) else {
        throw Self.damaged
      }
      height = max(height, try visit(part, levels: levels - 1) + 1)
    }
    extents[index] = Extent(height: height, size: visited - before)
    return height
  }

  private mutating func note(_ values: Int) throws {
    visited += values
    // More than there are bytes are references to the same, which can double with each level.
    guard visited <= max(bytes.count, 1 << 20) else { throw Self.damaged }
  }

  /// Returns the places of the references in a value, or `nil` if it is no container.
  private func references(in index: Int) throws -> StrideTo<Int>? {
    let entry = table + index * offsetSize
    guard let offset = Self.number(in: bytes, at: entry, size: offsetSize), offset < table else {
      throw Self.damaged
    }
    let place = Int(offset)
    let (kind, low) = (bytes[place] >> 4, bytes[place] & 15)
    // Bytes, texts, arrays, sets and dictionaries have a count, in a number of its own if it is large.
    guard [0x4, 0x5, 0x6, 0xA, 0xC, 0xD].contains(kind) else { return nil }
    var (start, count) = (place + 1, UInt64(low))
    if low == 15 {
      guard start < table, bytes[start] >> 4 == 1, bytes[start] & 15 <= 3 else {
        throw Self.damaged
      }
      let size = 1 << Int(bytes[start] & 15)
      guard let long = Self.number(in: bytes, at: start + 1, size: size) else { throw Self.damaged }
      (start, count) = (start + 1 + size, long)
    }
    guard count <= bytes.count else { throw Self.damaged }
    guard kind >= 0xA else {
      // The decoder compares the number of UTF-16 units with the bytes that are left.
      guard start + Int(count) * (kind == 0x6 ? 2 : 1) <= table else { throw Self.damaged }
      return nil
    }
    let end = start + Int(count) * (kind == 0xD ? 2 : 1) * referenceSize
    guard end <= table else { throw Self.damaged }
    return stride(from: start, to: end, by: max(1, referenceSize))
  }
}
