import FreshetEssentials

/// One value among parameters.
enum ParameterNode: Sendable, Hashable {
  case null
  case text(String)
  case boolean(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  // They are rare, and would make every other node larger.
  indirect case integer128(Int128)
  indirect case unsigned128(UInt128)
  case float(Float)
  case double(Double)
  case decimal(Decimal)
  case date(Date)
  case data(Data)
  case keyed([ParameterList.Field])
  /// The members of a dictionary with keys of text, which an encoder that converts keys leaves.
  case dictionary([ParameterList.Field])
  case list([ParameterNode])

  var isNull: Bool { self == .null }

  /// Returns a value as text, or `nil` if it is null, an object or a list.
  ///
  /// Numbers are written as Swift writes them, whatever the locale.
  func text(_ encoding: QueryEncoding) -> String? {
    switch self {
    case .null, .keyed, .dictionary, .list: nil
    case .text(let text): text
    case .boolean(let value): encoding.booleans.text(value)
    case .integer(let value): value.description
    case .unsigned(let value): value.description
    case .integer128(let value): value.description
    case .unsigned128(let value): value.description
    case .float(let value): value.description
    case .double(let value): value.description
    case .decimal(let value): value.description
    case .date(let value): encoding.dates.text(value)
    case .data(let value): value.base64EncodedString()
    }
  }
}

extension ParameterNode: Encodable {
  func encode(to encoder: any Encoder) throws {
    try encode(to: encoder) { $0.isNull ? nil : $0 }
  }

  private func encode<Member: Encodable>(
    to encoder: any Encoder,
    member: (ParameterNode) -> Member?
  ) throws {
    switch self {
    case .keyed(let fields):
      var container = encoder.container(keyedBy: AnyCodingKey.self)
      for field in fields {
        // `nil` is absent for the JSON encoder, unless its type encodes it explicitly.
        try container.encodeIfPresent(member(field.node), forKey: AnyCodingKey.text(field.key))
      }
    case .dictionary(let fields):
      let members = fields.compactMap { field in member(field.node).map { (field.key, $0) } }
      var container = encoder.singleValueContainer()
      try container.encode(Dictionary(members) { $1 })
    case .list(let nodes):
      var container = encoder.unkeyedContainer()
      for node in nodes { try container.encode(member(node)) }
    default:
      var container = encoder.singleValueContainer()
      try encode(into: &container)
    }
  }

  private func encode(into container: inout any SingleValueEncodingContainer) throws {
    switch self {
    case .null, .keyed, .dictionary, .list: try container.encodeNil()
    case .text(let value): try container.encode(value)
    case .boolean(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .integer128(let value): try container.encode(value)
    case .unsigned128(let value): try container.encode(value)
    case .float(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .decimal(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    }
  }
}

extension ParameterNode {
  /// A value that is encoded with its fields that are `nil`.
  struct Whole: Encodable {
    let node: ParameterNode

    func encode(to encoder: any Encoder) throws {
      try node.encode(to: encoder) { Whole(node: $0) }
    }
  }
}
