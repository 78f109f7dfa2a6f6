/// The method of validating an expired copy.
public enum Revalidation: String, Sendable, Hashable, CaseIterable {
  /// A conditional GET: one round trip, which brings a 304 or the new body.
  ///
  /// A copy without a validator is downloaded again.
  case conditional
  /// A HEAD whose validators are compared with the copy's, and a GET only if they differ.
  ///
  /// It suits large bodies at servers that ignore conditions.
  case head
  /// No validation: an expired copy is downloaded again.
  case none
}
