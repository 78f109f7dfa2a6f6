import FreshetEssentials

/// Identities for models that the server has not seen yet; see ``ModelChange/createsSubject``.
///
/// They are random, and equal to nothing else that is stored, so that they can be replaced wherever
/// they are.
///
/// ```swift
/// try await changes.add(AddSpring(subjectID: TemporaryID.integer(), name: "Loue"))
/// ```
public enum TemporaryID {
  /// Makes a negative number, which JSON has exactly: of 53 bits at most.
  ///
  /// - Returns: A number below `-UInt32.max`; one of 31 bits where an `Int` has 32, as on a watch.
  public static func integer() -> Int {
    var generator = SystemRandomNumberGenerator()
    return integer(using: &generator)
  }

  /// Makes a number by a generator.
  ///
  /// - Parameter generator: The source of randomness.
  /// - Returns: A number as ``integer()`` makes it.
  public static func integer(using generator: inout some RandomNumberGenerator) -> Int {
    Int(-Int64.random(in: magnitudes(), using: &generator))
  }

  /// The magnitudes of the numbers, all of which an `Int` of so many bits can hold.
  static func magnitudes(bitWidth: Int = Int.bitWidth) -> ClosedRange<Int64> {
    bitWidth > 32 ? 1 << 40...(1 << 53) - 1 : 1 << 30...(1 << 31) - 1
  }

  /// The largest magnitude of a number that may be anything.
  static func largestUsual(bitWidth: Int = Int.bitWidth) -> UInt64 {
    bitWidth > 32 ? UInt64(UInt32.max) : (1 << 30) - 1
  }

  /// Makes a text, `temporary-` and a UUID.
  ///
  /// - Returns: A text.
  public static func text() -> String { "temporary-\(UUID().uuidString)" }

  /// Returns a Boolean value that indicates whether an identity is one that ``integer()`` makes.
  ///
  /// - Parameter id: An identity.
  /// - Returns: `true` for any number that is as small.
  public static func isTemporary(_ id: Int) -> Bool { id <= -magnitudes().lowerBound }

  /// Returns a Boolean value that indicates whether an identity is one that ``text()`` makes.
  ///
  /// - Parameter id: An identity.
  /// - Returns: `true` for a temporary identity.
  public static func isTemporary(_ id: String) -> Bool { id.hasPrefix("temporary-") }
}
