/// The decisions that led to a value, in order.
///
/// It is a collection of ``Decision``s, so that tests can assert them; its description has one line
/// for each decision.
public struct Explanation: Sendable, Hashable, RandomAccessCollection {
  private var decisions: [Decision]

  package init() {
    decisions = []
  }

  mutating func add(_ decision: Decision) {
    if decisions.isEmpty {
      decisions.reserveCapacity(8)
    }
    decisions.append(decision)
  }

  func adding(_ decision: Decision) -> Explanation {
    var explanation = self
    explanation.add(decision)
    return explanation
  }

  /// The position of the first decision.
  public var startIndex: Int { decisions.startIndex }
  /// The position after the last decision.
  public var endIndex: Int { decisions.endIndex }
  /// The decision at a position.
  public subscript(position: Int) -> Decision { decisions[position] }
}

extension Explanation: CustomStringConvertible {
  /// The decisions, one on each line.
  public var description: String { map(\.description).joined(separator: "\n") }
}
