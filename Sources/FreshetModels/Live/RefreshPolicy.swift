/// When a live value asks the network behind what is stored.
public enum RefreshPolicy: Sendable, Hashable {
  /// Each time somebody begins to read.
  case always
  /// When nothing is stored.
  case ifMissing
  /// When nothing is stored, or the last answer to the same query is that old.
  ///
  /// The store remembers when that was, also after a restart.
  case after(Duration)
  /// Never.
  case never
}
