/// The fields of a value.
struct KeyedParameters<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ParameterEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  init(encoder: ParameterEncoder) {
    self.encoder = encoder
    if case .keyed = encoder.box.content { return }
    encoder.box.content = .keyed(ParameterBox.Fields())
  }

  func encodeNil(forKey key: Key) throws {
    child(key).encodeNil()
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try child(key).write(value)
  }

  // The standard library's versions for these types fail.
  func encode(_ value: Int128, forKey key: Key) { child(key).encode(value) }
  func encode(_ value: UInt128, forKey key: Key) { child(key).encode(value) }

  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
    try keep(value, key)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    child(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    child(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { child(AnyCodingKey.text("super")) }
  func superEncoder(forKey key: Key) -> any Encoder { child(key) }

  /// Returns the field's encoder; a field that is encoded again keeps its first place and its last value.
  private func child(_ key: some CodingKey) -> ParameterEncoder {
    guard case .keyed(var fields) = encoder.box.content else { return encoder.child(key) }
    if let box = fields[key.stringValue] { return encoder.child(key, box) }
    let child = encoder.child(key)
    // The fields must have one owner while they grow.
    encoder.box.content = .nothing
    fields.append(child.box, for: key.stringValue)
    encoder.box.content = .keyed(fields)
    return child
  }
}

/// The methods that the compiler calls for optional fields.
///
/// The standard library's versions for these types would leave `nil` out; these encode it, for
/// encodings that send it.
extension KeyedParameters {
  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try keep(value, key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) throws { try keep(value, key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try keep(value, key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try keep(value, key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try keep(value, key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try keep(value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try keep(value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try keep(value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try keep(value, key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try keep(value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try keep(value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try keep(value, key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try keep(value, key) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try keep(value, key) }
  func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try keep(value, key) }
  func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try keep(value, key) }

  private func keep(_ value: (some Encodable)?, _ key: Key) throws {
    guard let value else { return try encodeNil(forKey: key) }
    try encode(value, forKey: key)
  }
}

/// The elements of a value.
struct UnkeyedParameters: UnkeyedEncodingContainer {
  let encoder: ParameterEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  init(encoder: ParameterEncoder) {
    self.encoder = encoder
    if case .list = encoder.box.content { return }
    encoder.box.content = .list([])
  }

  var count: Int {
    guard case .list(let boxes) = encoder.box.content else { return 0 }
    return boxes.count
  }

  func encodeNil() throws { child().encodeNil() }
  func encode<Value: Encodable>(_ value: Value) throws { try child().write(value) }
  func encode(_ value: Int128) { child().encode(value) }
  func encode(_ value: UInt128) { child().encode(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    child().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { child().unkeyedContainer() }
  func superEncoder() -> any Encoder { child() }

  private func child() -> ParameterEncoder {
    let child = encoder.child(AnyCodingKey.index(count))
    guard case .list(var boxes) = encoder.box.content else { return child }
    encoder.box.content = .nothing
    boxes.append(child.box)
    encoder.box.content = .list(boxes)
    return child
  }
}
