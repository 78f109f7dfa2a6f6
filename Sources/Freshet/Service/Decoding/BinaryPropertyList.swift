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

  /// The containers around the next value, innermost last.
  private var open: [Container] = []
  /// The extents of all containers that were met; `nil` while they are open.
  private var extents: [Int: Extent?] = [:]
  /// The number of values so far; those of a container count each time that it is referred to.
  private var visited = 0

  private struct Container {
    let index: Int
    /// The places of the references that are left.
    var references: StrideTo<Int>.Iterator
    /// The number of levels, with its own.
    var height = 1
    /// The number of values before it.
    let before: Int
  }

  private struct Extent {
    let height: Int
    let size: Int
  }

  private static let damaged = DecodingFailure.Reason("the property list is damaged")

  /// Returns a list whose counts, places and references lead to what is there, and end.
  ///
  /// - Throws: A reason if they do not, or if the list is nested too deeply.
  static func checked(_ data: Data) throws -> Data {
    var list = try BinaryPropertyList([UInt8](data))
    try list.check()
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
  /// Visits the values, those of each container once.
  private mutating func check() throws {
    try visit(top)
    while var container = open.popLast() {
      guard let place = container.references.next() else {
        close(container)
        continue
      }
      open.append(container)
      guard let value = Self.number(in: bytes, at: place, size: referenceSize) else {
        throw Self.damaged
      }
      try visit(value)
    }
  }

  private mutating func visit(_ value: UInt64) throws {
    guard value < count else { throw Self.damaged }
    visited += 1
    let index = Int(value)
    if let references = try references(in: index) {
      switch extents[index] {
      case nil:
        extents[index] = .some(nil)
        open.append(Container(index: index, references: references, before: visited))
      case .some(nil):
        throw DecodingFailure.Reason("the property list contains itself")
      case .some(let extent?):
        visited += extent.size
        raise(to: extent.height)
      }
    }
    guard open.count + (open.last?.height ?? 0) <= PropertyList.depthLimit + 1 else {
      throw PropertyList.tooDeep
    }
    // More than there are bytes are references to the same, which can double with each level.
    guard visited <= max(bytes.count, 1 << 20) else { throw Self.damaged }
  }

  private mutating func close(_ container: Container) {
    extents[container.index] = Extent(height: container.height, size: visited - container.before)
    raise(to: container.height)
  }

  /// Notes the height of a part of the innermost container.
  private mutating func raise(to height: Int) {
    guard let last = open.indices.last else { return }
    open[last].height = max(open[last].height, height + 1)
  }

  /// Returns the places of the references in a value, or `nil` if it is no container.
  private func references(in index: Int) throws -> StrideTo<Int>.Iterator? {
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
    return stride(from: start, to: end, by: max(1, referenceSize)).makeIterator()
  }
}
