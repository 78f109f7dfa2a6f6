extension LiveValue: CustomStringConvertible, CustomDebugStringConvertible {
  /// The state and the value, in one line: `fresh: [Tweet(id: 7, …)]`.
  public var description: String {
    let mark = isPending ? ", pending" : ""
    return switch state {
    case .stored: "stored\(mark): \(value)"
    case .refreshing: "refreshing\(mark): \(value)"
    case .fresh: "fresh\(mark): \(value)"
    case .failed(let failure): "failed\(mark) (\(failure)): \(value)"
    }
  }

  /// The ``description``.
  public var debugDescription: String { description }
}
