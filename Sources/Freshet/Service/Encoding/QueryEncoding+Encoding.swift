extension QueryEncoding {
  /// Encodes the fields of a value as a query, without a leading `?`.
  ///
  /// - Parameter value: A structure, a dictionary with keys of text, or a ``ParameterList``.
  /// - Returns: The query, `""` if there is nothing to send.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if the value has no named fields or cannot be
  ///   encoded, such as a number that is not finite, or fields within ``Arrays/commas``.
  public func encode(_ value: some Encodable) throws(FreshetError) -> String {
    try encode(value, as: .url)
  }

  func encode(_ value: some Encodable, as percent: PercentEncoding) throws(FreshetError) -> String {
    var output: [UInt8] = []
    for pair in try pairs(of: ParameterList(value)) {
      if !output.isEmpty { output.append(UInt8(ascii: "&")) }
      percent.append(pair.name, to: &output)
      guard let values = pair.values else { continue }
      output.append(UInt8(ascii: "="))
      for (index, value) in values.enumerated() {
        if index > 0 { output.append(ASCII.comma) }
        percent.append(value, to: &output)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// A name and its values; several values are separated by commas, and `nil` is a name alone.
  struct Pair {
    let name: String
    let values: [String]?
  }

  /// Returns the fields flattened, in order.
  func pairs(of list: ParameterList) throws(FreshetError) -> [Pair] {
    var pairs: [Pair] = []
    for field in sorted(list.fields) {
      try append(field.node, named: field.key, to: &pairs)
    }
    return pairs
  }

  private func append(
    _ node: ParameterNode,
    named name: String,
    to pairs: inout [Pair]
  ) throws(FreshetError) {
    switch node {
    case .null:
      switch nils {
      case .omitted: break
      case .name: pairs.append(Pair(name: name, values: nil))
      case .emptyValue: pairs.append(Pair(name: name, values: [""]))
      }
    case .keyed(let fields), .dictionary(let fields):
      for field in sorted(fields) {
        let nested = nesting == .dots ? "\(name).\(field.key)" : "\(name)[\(field.key)]"
        try append(field.node, named: nested, to: &pairs)
      }
    case .list(let nodes):
      try append(nodes, named: name, to: &pairs)
    default:
      pairs.append(Pair(name: name, values: [node.text(self) ?? ""]))
    }
  }

  private func append(
    _ nodes: [ParameterNode],
    named name: String,
    to pairs: inout [Pair]
  ) throws(FreshetError) {
    switch arrays {
    case .repeated:
      for node in nodes { try append(node, named: name, to: &pairs) }
    case .brackets:
      for node in nodes { try append(node, named: "\(name)[]", to: &pairs) }
    case .indexed:
      for (index, node) in nodes.enumerated() {
        try append(node, named: "\(name)[\(index)]", to: &pairs)
      }
    case .commas:
      let values = try joined(nodes, named: name)
      if !values.isEmpty { pairs.append(Pair(name: name, values: values)) }
    }
  }

  private func joined(
    _ nodes: [ParameterNode],
    named name: String
  ) throws(FreshetError) -> [String] {
    var values: [String] = []
    for node in nodes where !(node.isNull && nils == .omitted) {
      guard let text = node.isNull ? "" : node.text(self) else {
        let reason = "its parameter “\(name)” has elements that cannot be separated by commas"
        throw .invalidRequest(reason, url: "")
      }
      values.append(text)
    }
    return values
  }

  private func sorted(_ fields: [ParameterList.Field]) -> [ParameterList.Field] {
    guard order == .sorted else { return fields }
    return fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }
}
