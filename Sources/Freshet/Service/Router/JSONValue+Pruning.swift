extension JSONValue {
  /// The value without members that are `null`, at any depth, as ``JSONNils/omitted`` sends it.
  ///
  /// Elements of arrays stay `null`, because their positions count.
  public var omittingNulls: JSONValue {
    switch self {
    case .object(let members):
      .object(members.filter { $0.value != .null }.mapValues(\.omittingNulls))
    case .array(let elements): .array(elements.map(\.omittingNulls))
    default: self
    }
  }

  /// The value without members that are `null`, and without objects that become empty, at any
  /// depth, as ``JSONNils/pruned`` sends it.
  ///
  /// Elements of arrays stay `null`, empty arrays stay, and so does the value itself.
  public var pruned: JSONValue {
    switch self {
    case .object(let members):
      .object(members.mapValues(\.pruned).filter { $0.value != .null && !$0.value.isEmptyObject })
    case .array(let elements):
      .array(elements.map(\.pruned).filter { !$0.isEmptyObject })
    default: self
    }
  }

  private var isEmptyObject: Bool { self == .object([:]) }
}
