import FreshetEssentials

/// Encodes any `Encodable` as a tree of parameters.
struct ParameterEncoder: Encoder {
  let box: ParameterBox
  let codingPath: [any CodingKey]
  /// The encoder that writes the tree, with its own way for numbers that are not finite.
  let json: JSONEncoder?

  var userInfo: [CodingUserInfoKey: Any] {
    guard let json else { return [:] }
    return json.userInfo
  }

  static func node(of value: some Encodable, for json: JSONEncoder? = nil) throws -> ParameterNode {
    let encoder = ParameterEncoder(box: ParameterBox(), codingPath: [], json: json)
    try encoder.write(value)
    return try encoder.box.node
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedParameters(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedParameters(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// Writes a value, with special cases for types whose own encoding no query uses: a date as a
  /// number since 2001, bytes as a list of numbers, a URL as base and relative part.
  func write(_ value: some Encodable) throws {
    switch value {
    case let date as Date:
      try check(date.timeIntervalSince1970.isFinite, date)
      box.content = .scalar(.date(date))
    case let data as Data: box.content = .scalar(.data(data))
    case let url as URL: box.content = .scalar(.text(url.absoluteString))
    case let decimal as Decimal:
      try check(!decimal.isNaN, decimal)
      box.content = .scalar(.decimal(decimal))
    case let list as ParameterList:
      if let problem = list.problem { throw FreshetError.invalidRequest(problem, url: "") }
      box.content = .scalar(.keyed(list.fields))
    case let node as ParameterNode: box.content = .scalar(node)
    default:
      box.order = .declared
      try value.encode(to: self)
      // Any other value may have been encoded as an unordered one, in the same box.
      if let value = value as? any UnorderedParameters { box.order = type(of: value).order }
    }
  }

  func check(_ isFinite: Bool, _ value: Any) throws {
    guard !isFinite else { return }
    let context = EncodingError.Context(codingPath: codingPath, debugDescription: "not finite")
    throw EncodingError.invalidValue(value, context)
  }

  func child(_ key: some CodingKey, _ box: ParameterBox = ParameterBox()) -> ParameterEncoder {
    ParameterEncoder(box: box, codingPath: codingPath + [key], json: json)
  }
}

extension ParameterEncoder: SingleValueEncodingContainer {
  func encodeNil() { box.content = .scalar(.null) }
  func encode(_ value: Bool) { box.content = .scalar(.boolean(value)) }
  func encode(_ value: String) { box.content = .scalar(.text(value)) }
  func encode(_ value: Int) { box.content = .scalar(.integer(Int64(value))) }
  func encode(_ value: Int8) { box.content = .scalar(.integer(Int64(value))) }
  func encode(_ value: Int16) { box.content = .scalar(.integer(Int64(value))) }
  func encode(_ value: Int32) { box.content = .scalar(.integer(Int64(value))) }
  func encode(_ value: Int64) { box.content = .scalar(.integer(value)) }
  func encode(_ value: UInt) { box.content = .scalar(.unsigned(UInt64(value))) }
  func encode(_ value: UInt8) { box.content = .scalar(.unsigned(UInt64(value))) }
  func encode(_ value: UInt16) { box.content = .scalar(.unsigned(UInt64(value))) }
  func encode(_ value: UInt32) { box.content = .scalar(.unsigned(UInt64(value))) }
  func encode(_ value: UInt64) { box.content = .scalar(.unsigned(value)) }
  func encode(_ value: Int128) { box.content = .scalar(.integer128(value)) }
  func encode(_ value: UInt128) { box.content = .scalar(.unsigned128(value)) }

  func encode(_ value: Float) throws {
    try check(value.isFinite || json != nil, value)
    box.content = .scalar(.float(value))
  }

  func encode(_ value: Double) throws {
    try check(value.isFinite || json != nil, value)
    box.content = .scalar(.double(value))
  }

  func encode(_ value: some Encodable) throws { try write(value) }
}

/// A value under construction; it is released when it is complete.
final class ParameterBox {
  enum Content {
    case nothing
    case scalar(ParameterNode)
    case keyed(Fields)
    case list([ParameterBox])
  }

  /// Fields in the order of their first values.
  struct Fields {
    private(set) var entries: [(key: String, box: ParameterBox)] = []
    private var places: [String: Int] = [:]

    subscript(key: String) -> ParameterBox? { places[key].map { entries[$0].box } }

    mutating func append(_ box: ParameterBox, for key: String) {
      places[key] = entries.count
      entries.append((key, box))
    }
  }

  enum Order {
    case declared
    /// By key, or by text in a list.
    case sorted
    /// A list of keys, each before its value, by key.
    case sortedPairs
    /// The members of a dictionary with keys of text, by key.
    case sortedMembers
  }

  var content = Content.nothing
  var order = Order.declared

  var node: ParameterNode {
    get throws {
      switch content {
      // A type that encodes nothing is a type without fields.
      case .nothing: .keyed([])
      case .scalar(let node): node
      case .keyed(let fields):
        try keyed(fields.entries)
      case .list(let boxes):
        try list(boxes)
      }
    }
  }

  private func keyed(_ entries: [(key: String, box: ParameterBox)]) throws -> ParameterNode {
    let fields = try entries.map { ParameterList.Field(key: $0.key, node: try $0.box.node) }
    guard order != .declared else { return .keyed(fields) }
    let sorted = fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return order == .sortedMembers ? .dictionary(sorted) : .keyed(sorted)
  }

  private func list(_ boxes: [ParameterBox]) throws -> ParameterNode {
    let nodes = try boxes.map { try $0.node }
    guard order != .declared else { return .list(nodes) }
    let width = order == .sortedPairs && nodes.count.isMultiple(of: 2) ? 2 : 1
    let groups = stride(from: 0, to: nodes.count, by: width).map { nodes[$0..<($0 + width)] }
    let texts = groups.map { ($0, $0.first?.text(QueryEncoding()) ?? "") }
    return .list(
      texts.sorted { $0.1.utf8.lexicographicallyPrecedes($1.1.utf8) }.flatMap { $0.0 }
    )
  }
}

/// A type that encodes itself in an order that differs between processes.
private protocol UnorderedParameters {
  static var order: ParameterBox.Order { get }
}

// With keys that are neither text nor whole numbers, a dictionary is a list of keys and values.
extension Dictionary: UnorderedParameters {
  fileprivate static var order: ParameterBox.Order {
    Key.self == String.self ? .sortedMembers : .sortedPairs
  }
}

extension Set: UnorderedParameters {
  fileprivate static var order: ParameterBox.Order { .sorted }
}
