import Freshet
import FreshetEssentials

extension ModelRecord {
  /// The number of levels of a record: the item itself, those in it, and so on.
  static let depthLimit = 256

  /// Returns the item at the offset, with everything in it.
  func value(_ offset: Int = 0) throws(RecordDamage) -> ModelValue {
    var offset = offset
    return try value(&offset, depth: 0)
  }

  private func value(_ offset: inout Int, depth: Int) throws(RecordDamage) -> ModelValue {
    // The stack is finite, and the bytes may be anything.
    guard depth < Self.depthLimit else { throw RecordDamage() }
    let start = offset
    let item = try item(start)
    switch item {
    case .list(let count, let content):
      offset = content
      var elements: [ModelValue] = []
      for _ in 0..<count { elements.append(try value(&offset, depth: depth + 1)) }
      return .list(elements)
    case .map(let count, let content):
      offset = content
      var fields: [String: ModelValue] = [:]
      for _ in 0..<count {
        let key = try textRange(offset)
        offset = key.upperBound
        fields[text(key)] = try value(&offset, depth: depth + 1)
      }
      return .map(fields)
    default:
      offset = try end(start)
      return try scalar(item)
    }
  }

  private func scalar(_ item: Item) throws(RecordDamage) -> ModelValue {
    switch item {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .integer(let number): return .integer(number)
    case .unsigned(let number): return .unsigned(number)
    case .real(let number): return .real(number)
    case .text(let range): return .text(text(range))
    case .bytes(let range): return .bytes(Data(bytes[range]))
    case .reference(let offset):
      let key = try reference(offset)
      return .reference(model: key.model, id: key.id.value)
    case .list, .map: throw RecordDamage()
    }
  }
}

// MARK: - Indexes

extension ModelRecord {
  /// Returns the value of an index for a path: a scalar, the identity of a reference, the bytes of
  /// anything else; null for no value.
  ///
  /// Change ``ModelTable/stamp`` whenever the result for a value changes.
  func indexed(_ path: [String]) throws(RecordDamage) -> SQLiteValue {
    var offset = 0
    for key in path {
      guard let next = try field(key, ofMapAt: offset) else { return .null }
      offset = next
    }
    guard case .reference(let place) = try item(offset) else { return try indexed(at: offset) }
    // An identity has the same value in a column as in a field of its own.
    guard case .bytes(let bytes) = try reference(place).id else {
      return try reference(place).id.bound
    }
    return try ModelRecord(bytes).indexed(at: 0)
  }

  private func indexed(at offset: Int) throws(RecordDamage) -> SQLiteValue {
    switch try item(offset) {
    case .null, .reference: .null
    case .bool(let value): .integer(value ? 1 : 0)
    case .integer(let number): .integer(number)
    case .real(let number): .real(number)
    case .text(let range): EntityID(text: text(range)).bound
    case .bytes(let range): .bytes(Array(bytes[range]))
    // Equal values have equal bytes; numbers above Int64.max are in their order, and come after all others.
    case .unsigned, .list, .map: .bytes(Array(bytes[offset..<(try end(offset))]))
    }
  }

  private func field(_ key: String, ofMapAt offset: Int) throws(RecordDamage) -> Int? {
    guard case .map(let count, var offset) = try item(offset) else { return nil }
    for _ in 0..<count {
      let name = try textRange(offset)
      if compare(key, name) == 0 { return name.upperBound }
      offset = try end(name.upperBound)
    }
    return nil
  }
}
