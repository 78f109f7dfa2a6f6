/// One step in the life of a resource.
///
/// A stage handles one kind of step and forwards every other untouched. `settle` turns the last
/// step into the value.
public enum Fetch: Sendable {
  /// Nothing has been found so far.
  case wanted(Wanted)
  /// A store has a copy; whether it may be used is not decided yet.
  case found(Found)
  /// The copy must be validated before it may be used.
  case expired(Found)
  /// Bytes have moved.
  case progress(TransferProgress)
  /// The network delivered something that is not stored yet.
  case downloaded(Downloaded)
  /// There is something to show; final or not.
  case resource(Resource)
}

extension Fetch {
  /// A request that is still looking for its resource.
  public struct Wanted: Sendable {
    /// What is wanted.
    public let request: Request
    /// Under which key it is looked up and kept.
    public let key: CacheKey
    /// A stale copy to fall back on if the network fails.
    public var fallback: Found?
    /// The decisions so far.
    public var explanation: Explanation
  }

  /// A copy that a store had.
  public struct Found: Sendable {
    /// What is wanted.
    public let request: Request
    /// The copy.
    public let response: StoredResponse
    /// Which store had it.
    public let origin: Resource.Origin
    /// The decisions so far.
    public var explanation: Explanation
  }

  /// What the network delivered.
  public struct Downloaded: Sendable {
    /// What was wanted.
    public let request: Request
    /// The response, its body in memory or in a spool file; after a validation, the copy with its
    /// new head.
    public var response: StoredResponse
    /// Whether the body is new, or an older copy has been validated.
    public let change: Change
    /// What the transfer took.
    public let metrics: TransferMetrics?
    /// The decisions so far.
    public var explanation: Explanation
  }

  /// How a downloaded response relates to what was there before.
  public enum Change: Sendable, Hashable {
    /// A new body.
    case replaced
    /// The same body, validated; it came from this store.
    case validated(Resource.Origin)
  }
}
