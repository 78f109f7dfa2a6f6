/// A random number generator whose numbers are derived from its seed alone (SplitMix64).
///
/// The same seed gives the same numbers on every platform and in every version. It is not for
/// secrets.
///
/// ```swift
/// var generator = SeededGenerator(seed: 7)
/// let order = (1...5).shuffled(using: &generator)
/// ```
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Makes a generator.
  ///
  /// - Parameter seed: Any number; generators with different seeds are unrelated.
  public init(seed: UInt64) {
    state = seed
  }

  /// Returns the next number, all 64 bits of which are equally random.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
