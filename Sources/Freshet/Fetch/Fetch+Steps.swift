extension Fetch {
  /// A request that is still looking for its resource.
  public struct Wanted: Sendable {
    let context: FetchContext
    private var copy: OptionalCopy
    /// The decisions so far.
    public var explanation: Explanation
    /// The call that has asked about the copy, and what it left of the time.
    var call: FetchCall?

    init(
      _ context: FetchContext,
      fallback: Expired? = nil,
      explanation: Explanation = Explanation(),
      call: FetchCall? = nil
    ) {
      self.context = context
      copy = fallback.map(OptionalCopy.some) ?? .none
      self.explanation = explanation
      self.call = call
    }

    /// A stale copy to fall back on if the network fails.
    public var fallback: Expired? {
      get { copy.value }
      set { copy = newValue.map(OptionalCopy.some) ?? .none }
    }

    /// The request.
    public var request: Request { context.request }
    /// The key under which it is looked up and stored.
    public var key: CacheKey { context.key }
  }

  /// A copy that a store had.
  public struct Found: Sendable {
    let context: FetchContext
    /// The copy.
    public let response: StoredResponse
    /// The store that had it.
    public let origin: Resource.Origin
    /// Its age in seconds when its freshness was decided.
    var age: Double?
    /// The decisions so far.
    public var explanation: Explanation

    /// The request.
    public var request: Request { context.request }
  }

  /// A copy that must be validated.
  public struct Expired: Sendable {
    let context: FetchContext
    /// The copy.
    public let response: StoredResponse
    /// The store that had it.
    public let origin: Resource.Origin
    /// The uses that are allowed without a validation.
    public let uses: Reuse.StaleUses
    /// Its age in seconds when that was decided.
    var age: Double?
    /// The decisions so far.
    public var explanation: Explanation

    /// The request.
    public var request: Request { context.request }
  }

  /// An optional stale copy, boxed to keep ``Fetch`` small.
  private indirect enum OptionalCopy: Sendable {
    case none
    case some(Expired)

    var value: Expired? {
      if case .some(let expired) = self { expired } else { nil }
    }
  }

  /// A response of the network that is not stored yet.
  public struct Downloaded: Sendable {
    var context: FetchContext
    /// The response, its body in memory or in a spool file; after a validation, the copy with its
    /// new head.
    public var response: StoredResponse
    /// The relation to what was there before.
    public let change: Change
    let transfer: TransferRecord
    /// The copy that answered the same request so far.
    var superseded: StoredResponse?
    /// The decisions so far.
    public var explanation: Explanation

    /// The request.
    public var request: Request { context.request }
    /// The figures of the transfer.
    public var metrics: TransferMetrics { transfer.metrics }
  }

  /// The relation of a downloaded response to what was there before.
  public enum Change: Sendable, Hashable {
    /// The body is new.
    case replaced
    /// The body is the one of this store's copy, which the origin has just confirmed.
    case validated(Resource.Origin)
  }
}
