import Freshet
import FreshetEssentials

/// Reads a value from an item of a record; models are read from their own records.
final class ModelDecoder: Decoder {
  let context: ReadingContext
  let record: ModelRecord
  let offset: Int
  /// The properties of the type that reads it.
  let facts: TypeMetadata?
  private let parent: ModelDecoder?
  private let key: (any CodingKey)?
  /// Elements that were read in advance to check that they are complete, until they are decoded.
  private var ready: [Int: Result<any Sendable, any Error>] = [:]

  init(
    _ context: ReadingContext,
    _ record: ModelRecord,
    _ offset: Int,
    parent: ModelDecoder? = nil,
    key: (any CodingKey)? = nil,
    facts: TypeMetadata? = nil
  ) {
    self.context = context
    self.record = record
    self.offset = offset
    self.parent = parent
    self.key = key
    self.facts = facts
  }

  var codingPath: [any CodingKey] { (parent?.codingPath ?? []) + [key].compactMap(\.self) }

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    switch try record.item(offset) {
    case .map(let count, let start):
      return KeyedDecodingContainer(
        MapDecoding(decoder: self, fields: RecordFields(record, count, start))
      )
    case .reference(let place):
      return try target(place).container(keyedBy: type)
    default:
      throw mismatch([String: Any].self)
    }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .list(let count, let start) = try record.item(offset) else {
      throw mismatch([Any].self)
    }
    return ListDecoding(decoder: self, count: count, start: start)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  /// Returns the decoder of a model's record for a type that is no model: one that wraps it, or was
  /// a model before.
  private func target(_ place: Int) throws -> ModelDecoder {
    let key = try record.reference(place)
    guard let found = try context.record(key) else {
      throw MissingModel(model: "", needed: key.model)
    }
    return ModelDecoder(context, ModelRecord(found.bytes), 0, parent: self)
  }

  func child(_ offset: Int, _ key: any CodingKey) -> ModelDecoder {
    ModelDecoder(context, record, offset, parent: self, key: key)
  }

  func mismatch(_ type: Any.Type, at key: (any CodingKey)? = nil) -> DecodingError {
    .typeMismatch(
      type,
      .init(
        codingPath: codingPath + [key].compactMap(\.self),
        debugDescription: "another type is stored"
      )
    )
  }
}

// MARK: - Items

extension ModelDecoder {
  /// Returns a Boolean value that indicates whether there is no value at an offset: null, or a
  /// reference to a missing model.
  func isNil(_ offset: Int) throws -> Bool {
    switch try record.item(offset) {
    case .null: true
    case .reference(let place): !(try context.isAvailable(try record.reference(place)))
    default: false
    }
  }

  /// Returns a Boolean value that indicates whether an element is a reference to a missing or an
  /// incomplete model.
  func isGap(_ offset: Int) -> Bool {
    guard case .reference(let place) = try? record.item(offset) else { return false }
    if leadsNowhere(offset) { return true }
    guard let element = facts?.element, ready[offset] == nil else { return false }
    do {
      ready[offset] = .success(try resolve(element, try record.reference(place)))
    } catch is MissingModel {
      return true
    } catch {
      // It is thrown when the element is decoded.
      ready[offset] = .failure(error)
    }
    return false
  }

  /// Returns a Boolean value that indicates whether there is a reference to a missing model at an offset.
  func leadsNowhere(_ offset: Int) -> Bool {
    guard case .reference = try? record.item(offset) else { return false }
    return (try? isNil(offset)) ?? false
  }

  /// Reads an element of a list or an entry of a map.
  func element<Value: Decodable>(
    _ type: Value.Type,
    _ offset: Int,
    at key: @autoclosure () -> any CodingKey
  ) throws -> Value {
    if facts?.element != nil, let found = ready.removeValue(forKey: offset),
      let value = try found.get() as? Value
    {
      return value
    }
    return try decode(type, offset, at: key())
  }

  @inline(__always)
  func decode<Value: Decodable>(
    _ type: Value.Type,
    _ offset: Int,
    at key: @autoclosure () -> any CodingKey
  ) throws -> Value {
    do {
      if let value = try scalar(type, offset) { return value }
    } catch is ScalarMismatch {
      throw mismatch(type, at: key())
    }
    return try decodeOther(type, offset, at: key())
  }

  private func decodeOther<Value: Decodable>(
    _ type: Value.Type,
    _ offset: Int,
    at key: any CodingKey
  ) throws -> Value {
    let item = try record.item(offset)
    if let value: Value = foundation(item) { return value }
    let facts = context.types.facts(type)
    if facts.isModel, case .reference(let place) = item,
      let model = type as? any PersistableModel.Type
    {
      let found = try resolve(model, try record.reference(place))
      guard let value = found as? Value else { throw mismatch(type, at: key) }
      return value
    }
    let child = ModelDecoder(context, record, offset, parent: self, key: key, facts: facts)
    return try Value(from: child)
  }

  private func resolve<Model: PersistableModel>(
    _ type: Model.Type,
    _ key: EntityKey
  ) throws -> any Sendable {
    try context.model(at: key, as: type)
  }

  private func foundation<Value>(_ item: ModelRecord.Item) -> Value? {
    switch item {
    case .real(let seconds) where Value.self == Date.self:
      Date(timeIntervalSinceReferenceDate: seconds) as? Value
    case .bytes(let range) where Value.self == Data.self:
      Data(record.bytes[range]) as? Value
    case .text(let range) where Value.self == URL.self:
      URL(string: record.text(range)) as? Value
    case .text(let range) where Value.self == UUID.self:
      UUID(uuidString: record.text(range)) as? Value
    default:
      nil
    }
  }
}

// MARK: - One value

extension ModelDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { (try? isNil(offset)) ?? false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try decode(type, offset, at: AnyCodingKey.index(0))
  }
}

// MARK: - Maps

private struct MapDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ModelDecoder
  let fields: RecordFields

  var codingPath: [any CodingKey] { decoder.codingPath }

  var allKeys: [Key] {
    let entries = (try? fields.all()) ?? []
    return entries.compactMap { name, offset in
      guard let key = Key(stringValue: name) else { return nil }
      return decoder.isGap(offset) ? nil : key
    }
  }

  func contains(_ key: Key) -> Bool {
    (try? fields.find(key.stringValue)) != nil
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    try decoder.isNil(try offset(key))
  }

  private func offset(_ key: Key) throws -> Int {
    if let offset = try fields.find(key.stringValue) { return offset }
    throw DecodingError.keyNotFound(
      key,
      .init(codingPath: codingPath, debugDescription: "nothing is stored")
    )
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder.element(type, try offset(key), at: key)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let offset = try fields.find(key.stringValue) else { return nil }
    if let value = try? decoder.scalar(type, offset) { return value }
    if try decoder.isNil(offset) { return nil }
    do {
      return try decoder.decode(type, offset, at: key)
    } catch is MissingModel {
      // An incomplete model counts as missing.
      return nil
    }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder.child(try offset(key), key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder.child(try offset(key), key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    let key = AnyCodingKey.text("super")
    guard let offset = try fields.find(key.stringValue) else { return decoder }
    return decoder.child(offset, key)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    decoder.child(try offset(key), key)
  }
}

// MARK: - Lists

private final class ListDecoding: UnkeyedDecodingContainer {
  private let decoder: ModelDecoder
  private var remaining: Int
  private var next: Int
  private(set) var currentIndex = 0

  init(decoder: ModelDecoder, count: Int, start: Int) {
    self.decoder = decoder
    remaining = count
    next = start
  }

  var codingPath: [any CodingKey] { decoder.codingPath }

  /// The number of elements, which is unknown because missing ones are omitted.
  var count: Int? { nil }

  var isAtEnd: Bool {
    while remaining > 0 {
      let gap = gap
      if gap == 0 { return false }
      for _ in 0..<min(gap, remaining) {
        next = (try? decoder.record.end(next)) ?? next
        remaining -= 1
      }
    }
    return true
  }

  /// The number of items to omit, from the next one on.
  private var gap: Int {
    guard decoder.facts?.order == .freePairs else { return decoder.isGap(next) ? 1 : 0 }
    // A key is omitted with its value, which was checked before the key is read.
    guard currentIndex.isMultiple(of: 2) else { return 0 }
    if decoder.leadsNowhere(next) { return 2 }
    guard remaining > 1, let value = try? decoder.record.end(next) else { return 0 }
    return decoder.isGap(value) ? 2 : 0
  }

  private func take(_ type: Any.Type) throws -> Int {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type,
        .init(codingPath: codingPath, debugDescription: "the list has ended")
      )
    }
    let offset = next
    next = try decoder.record.end(offset)
    remaining -= 1
    currentIndex += 1
    return offset
  }

  func decodeNil() throws -> Bool {
    guard !isAtEnd, case .null = try decoder.record.item(next) else { return false }
    _ = try take(Any?.self)
    return true
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try decoder.element(type, try take(type), at: AnyCodingKey.index(currentIndex - 1))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try nested().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try nested().unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try nested() }

  private func nested() throws -> ModelDecoder {
    decoder.child(try take(Any.self), AnyCodingKey.index(currentIndex - 1))
  }
}
