/// One step in the life of a resource.
///
/// A stage handles some kinds of steps and passes all others unchanged. ``Fetch/request(_:partition:)``
/// starts a chain of stages, and `settle()` turns its last step into the value.
public enum Fetch: Sendable {
  /// Nothing has been found so far.
  case wanted(Wanted)
  /// A store has a copy; whether it may be used is not decided yet.
  case found(Found)
  /// The copy must be validated before it may be used.
  case expired(Expired)
  /// Bytes have moved.
  case progress(TransferProgress)
  /// The network delivered something that is not stored yet.
  case downloaded(Downloaded)
  /// There is a resource to show, final or not.
  case resource(Resource)
}
