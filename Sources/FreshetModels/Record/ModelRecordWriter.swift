/// Writes a record as CBOR (RFC 8949), with keys in the length-first order of its section 4.2.3, so
/// that equal values have equal bytes.
struct ModelRecordWriter {
  /// The registered tag for identifiers: a reference is this tag on `[model, id]`.
  static let referenceTag: UInt64 = 39

  private(set) var bytes: [UInt8] = []
  /// The key types of each map, in the order in which the maps begin.
  private(set) var shape: RecordShape = []
  /// The number of lists and maps around the next item, and the largest one that an item had.
  private(set) var depth: Int
  private(set) var deepest = 0

  /// A Boolean value that indicates whether the record is too deep to be read as a ``ModelValue``.
  var isTooDeep: Bool { deepest >= ModelRecord.depthLimit }

  init(capacity: Int = 256, depth: Int = 0) {
    self.depth = depth
    bytes.reserveCapacity(capacity)
  }

  /// Appends the output of another writer.
  mutating func append(_ part: ModelRecordWriter) {
    bytes += part.bytes
    shape += part.shape
    deepest = max(deepest, part.deepest)
  }

  /// Begins the items in a list or map, which end with ``leave()``.
  mutating func enter(_ count: Int) {
    depth += 1
    if count > 0 { deepest = max(deepest, depth) }
  }

  mutating func leave() { depth -= 1 }

  mutating func head(_ major: UInt8, _ number: UInt64) {
    let major = major << 5
    switch number {
    case 0..<24:
      bytes.append(major | UInt8(truncatingIfNeeded: number))
    case 24...0xFF:
      bytes.append(major | 24)
      bytes.append(UInt8(truncatingIfNeeded: number))
    case 0x100...0xFFFF:
      bytes.append(major | 25)
      big(number, 2)
    case 0x1_0000...0xFFFF_FFFF:
      bytes.append(major | 26)
      big(number, 4)
    default:
      bytes.append(major | 27)
      big(number, 8)
    }
  }

  private mutating func big(_ number: UInt64, _ count: Int) {
    for place in stride(from: (count - 1) * 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(place)))
    }
  }

  mutating func null() { bytes.append(0xF6) }

  mutating func bool(_ value: Bool) { bytes.append(value ? 0xF5 : 0xF4) }

  mutating func integer(_ value: Int64) {
    if value >= 0 {
      head(0, UInt64(value))
    } else {
      head(1, UInt64(bitPattern: ~value))
    }
  }

  mutating func real(_ value: Double) {
    bytes.append(0xFB)
    big(value.bitPattern, 8)
  }

  mutating func text(_ value: String) {
    let text = value.utf8
    head(3, UInt64(text.count))
    bytes.append(contentsOf: text)
  }

  mutating func data(_ value: some Collection<UInt8>) {
    head(2, UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  mutating func reference(_ key: EntityKey) {
    head(6, Self.referenceTag)
    head(4, 2)
    text(key.model)
    switch key.id {
    case .integer(let number): integer(number)
    case .text(let text): self.text(text)
    case .bytes(let bytes): data(bytes)
    }
  }

  /// Returns a Boolean value that indicates whether the left key comes before the right one.
  static func isOrdered(_ left: String, _ right: String) -> Bool {
    let (left, right) = (left.utf8, right.utf8)
    return left.count == right.count
      ? left.lexicographicallyPrecedes(right)
      : left.count < right.count
  }

  mutating func mapBegins(_ count: Int, keyTypes: [any CodingKey.Type]) {
    shape.append(keyTypes)
    head(5, UInt64(count))
  }
}

/// The coding keys of the writing type, for each map of a record in the order in which the maps begin.
///
/// A map without any is closed: no unknown key is kept in it.
typealias RecordShape = [[any CodingKey.Type]]

extension ModelRecordWriter {
  mutating func write(_ value: ModelValue) {
    switch value {
    case .null: null()
    case .bool(let value): bool(value)
    case .integer(let value): integer(value)
    case .unsigned(let value): head(0, value)
    case .real(let value): real(value)
    case .text(let value): text(value)
    case .bytes(let value): data(value)
    case .list(let elements):
      head(4, UInt64(elements.count))
      for element in elements { write(element) }
    case .map(let fields):
      mapBegins(fields.count, keyTypes: [])
      for (key, value) in fields.sorted(by: { Self.isOrdered($0.key, $1.key) }) {
        text(key)
        write(value)
      }
    case .reference(let model, let id):
      EntityID(id).map { reference(EntityKey(model: model, id: $0)) } ?? null()
    }
  }
}

extension ModelValue {
  /// The value as a record.
  var encoded: [UInt8] {
    var writer = ModelRecordWriter()
    writer.write(self)
    return writer.bytes
  }
}
