/// Which requests a ``FaultyTransport`` lets fail.
public struct Faults: Sendable {
  enum Kind: Sendable {
    case numbers(Set<Int>)
    case every(Int)
    case probability(Double, seed: UInt64)
  }

  let kind: Kind

  /// Those with these numbers in the order of `send`, from 1.
  public static func numbers(_ numbers: Set<Int>) -> Faults {
    Faults(kind: .numbers(numbers))
  }

  /// Every request whose number is a multiple of `period`, which is at least 1.
  public static func every(_ period: Int) -> Faults {
    precondition(period > 0, "a period is one or more")
    return Faults(kind: .every(period))
  }

  /// Each with a probability, 0 to 1, drawn from a generator with this seed.
  public static func probability(_ probability: Double, seed: UInt64) -> Faults {
    Faults(kind: .probability(probability, seed: seed))
  }
}
