/// The requests that fail in a ``FaultyTransport``.
public struct Faults: Sendable {
  enum Kind: Sendable {
    case numbers(Set<Int>)
    case every(Int)
    case probability(Double, seed: UInt64)
  }

  let kind: Kind

  /// Returns the faults of requests with these numbers in the order of `send`, from 1.
  public static func numbers(_ numbers: Set<Int>) -> Faults {
    Faults(kind: .numbers(numbers))
  }

  /// Returns the faults of every request whose number is a multiple of `period`, which is at least 1.
  public static func every(_ period: Int) -> Faults {
    precondition(period > 0, "a period is one or more")
    return Faults(kind: .every(period))
  }

  /// Returns faults with a probability, 0 to 1, from a generator with this seed.
  public static func probability(_ probability: Double, seed: UInt64) -> Faults {
    precondition((0...1).contains(probability), "a probability is from 0 to 1")
    return Faults(kind: .probability(probability, seed: seed))
  }
}
