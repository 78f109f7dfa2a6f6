extension ParameterNode {
  /// The value without fields that are null, and without objects that become empty.
  var pruned: ParameterNode {
    switch self {
    case .keyed(let fields):
      .keyed(
        fields.compactMap { field in
          let node = field.node.pruned
          return node.isNull || node.isEmptyObject
            ? nil : ParameterList.Field(key: field.key, node: node)
        }
      )
    case .list(let nodes): .list(nodes.map(\.pruned).filter { !$0.isEmptyObject })
    default: self
    }
  }

  private var isEmptyObject: Bool { self == .keyed([]) }
}
