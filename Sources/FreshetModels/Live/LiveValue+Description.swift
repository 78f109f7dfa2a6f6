extension LiveValue: CustomStringConvertible, CustomDebugStringConvertible {
  /// The state and the value, in one line: `fresh: [Tweet(id: 7, …)]`.
  public var description: String {
    switch state {
    case .stored: "stored: \(value)"
    case .refreshing: "refreshing: \(value)"
    case .fresh: "fresh: \(value)"
    case .failed(let failure): "failed (\(failure)): \(value)"
    }
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
}
