import FreshetEssentials

/// The bytes of a record, and the positions of its items.
///
/// They come from a file: every length is checked before it is used.
final class ModelRecord {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }
}

/// The error for bytes that are not a record.
struct RecordDamage: Error {}

extension ModelRecord {
  /// The first bytes of an item: its kind, and its length or number.
  struct Head {
    let major: UInt8
    let info: UInt8
    let number: UInt64
    /// The position of the content.
    let end: Int
  }

  /// The kind of an item, without its content.
  enum Item {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case real(Double)
    case text(Range<Int>)
    case bytes(Range<Int>)
    case list(count: Int, at: Int)
    case map(count: Int, at: Int)
    case reference(at: Int)
  }

  @inline(__always)
  func head(_ offset: Int) throws(RecordDamage) -> Head {
    guard offset < bytes.count else { throw RecordDamage() }
    let first = bytes[offset]
    let (major, info) = (first >> 5, first & 31)
    if info < 24 { return Head(major: major, info: info, number: UInt64(info), end: offset + 1) }
    guard info < 28 else { throw RecordDamage() }
    let count = 1 << Int(info - 24)
    guard offset + count < bytes.count else { throw RecordDamage() }
    var number: UInt64 = 0
    for index in offset + 1...offset + count { number = number << 8 | UInt64(bytes[index]) }
    return Head(major: major, info: info, number: number, end: offset + 1 + count)
  }

  private func range(_ head: Head) throws(RecordDamage) -> Range<Int> {
    guard head.number <= UInt64(bytes.count - head.end) else { throw RecordDamage() }
    return head.end..<head.end + Int(head.number)
  }

  func item(_ offset: Int) throws(RecordDamage) -> Item {
    let head = try head(offset)
    switch head.major {
    case 0:
      return Int64(exactly: head.number).map(Item.integer) ?? .unsigned(head.number)
    case 1:
      guard let number = Int64(exactly: head.number) else { throw RecordDamage() }
      return .integer(~number)
    case 2: return .bytes(try range(head))
    case 3: return .text(try range(head))
    // An element has at least one byte, an entry two.
    case 4: return .list(count: try range(head).count, at: head.end)
    case 5: return .map(count: try range(head).count, at: head.end)
    case 6 where head.number == ModelRecordWriter.referenceTag: return .reference(at: head.end)
    case 7: return try simple(head)
    default: throw RecordDamage()
    }
  }

  private func simple(_ head: Head) throws(RecordDamage) -> Item {
    switch head.info {
    case 20: .bool(false)
    case 21: .bool(true)
    case 22: .null
    case 27: .real(Double(bitPattern: head.number))
    default: throw RecordDamage()
    }
  }

  /// Returns the end of the item that begins at the offset.
  func end(_ offset: Int) throws(RecordDamage) -> Int {
    var offset = offset
    var pending = 1
    while pending > 0 {
      let head = try head(offset)
      pending -= 1
      offset = head.end
      switch head.major {
      case 2, 3: offset = try range(head).upperBound
      case 4: pending += try range(head).count
      case 5: pending += 2 * (try range(head).count)
      case 6: pending += 1
      default: break
      }
    }
    return offset
  }

  /// Returns the content of a text or a key.
  func text(_ range: Range<Int>) -> String {
    bytes.withUnsafeBufferPointer { String(decoding: $0[range], as: UTF8.self) }
  }

  func textRange(_ offset: Int) throws(RecordDamage) -> Range<Int> {
    let head = try head(offset)
    guard head.major == 3 else { throw RecordDamage() }
    return try range(head)
  }

  /// Compares a key with the one in the range: negative if it comes before, zero if they are equal.
  func compare(_ key: String, _ range: Range<Int>) -> Int {
    var key = key
    return key.withUTF8 { key in
      guard key.count == range.count else { return key.count - range.count }
      return bytes.withUnsafeBytes { bytes in
        guard let key = key.baseAddress, let start = bytes.baseAddress else { return 0 }
        return Int(memcmp(key, start + range.lowerBound, range.count))
      }
    }
  }

  /// Returns the key after a reference's tag.
  func reference(_ offset: Int) throws(RecordDamage) -> EntityKey {
    guard case .list(2, let start) = try item(offset) else { throw RecordDamage() }
    let model = try textRange(start)
    let id: EntityID
    switch try item(model.upperBound) {
    case .integer(let number): id = .integer(number)
    case .text(let range): id = .text(text(range))
    case .bytes(let range): id = .bytes(Array(bytes[range]))
    default: throw RecordDamage()
    }
    return EntityKey(model: text(model), id: id)
  }
}
