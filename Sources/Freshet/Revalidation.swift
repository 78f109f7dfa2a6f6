/// How an expired copy is validated.
public enum Revalidation: String, Sendable, Hashable, CaseIterable {
  /// A conditional GET: one round trip, which brings a 304 or the new body.
  ///
  /// A copy without a validator is downloaded anew.
  case conditional
  /// A HEAD whose validators are compared with the copy's, and a GET only if they differ.
  ///
  /// For large bodies at servers that ignore conditions.
  case head
  /// No validation: what has expired is downloaded anew.
  case none
}
