extension ParameterNode {
  /// The value without fields that are null, and without objects that become empty.
  var pruned: ParameterNode {
    switch self {
    case .keyed(let fields): .keyed(Self.pruned(fields))
    case .dictionary(let fields): .dictionary(Self.pruned(fields))
    case .list(let nodes): .list(nodes.map(\.pruned).filter { !$0.isEmptyObject })
    default: self
    }
  }

  private static func pruned(_ fields: [ParameterList.Field]) -> [ParameterList.Field] {
    fields.compactMap { field in
      let node = field.node.pruned
      return node.isNull || node.isEmptyObject
        ? nil : ParameterList.Field(key: field.key, node: node)
    }
  }

  private var isEmptyObject: Bool { self == .keyed([]) || self == .dictionary([]) }
}
