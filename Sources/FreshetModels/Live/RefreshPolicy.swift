/// The policy of refreshing a live value from the network.
public enum RefreshPolicy: Sendable, Hashable {
  /// Each time an iteration begins.
  case always
  /// If nothing is stored.
  case ifMissing
  /// If nothing is stored, or the last response to the same query is at least this old.
  ///
  /// The store records the time of the response, also across launches, for the 1,000 queries that were
  /// refreshed last.
  case after(Duration)
  /// Never.
  case never
}
