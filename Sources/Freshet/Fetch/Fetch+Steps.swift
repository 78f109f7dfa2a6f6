extension Fetch {
  /// A request whose resource was not found so far.
  public struct Wanted: Sendable {
    let context: FetchContext
    /// The stale copy, boxed to keep ``Fetch`` small.
    private var copy: Boxed<Expired>?
    /// The decisions so far.
    public var explanation: Explanation
    /// The call that has revalidated the copy, with its remaining time.
    var call: FetchCall?

    init(
      _ context: FetchContext,
      fallback: Expired? = nil,
      explanation: Explanation = Explanation(),
      call: FetchCall? = nil
    ) {
      self.context = context
      copy = fallback.map { Boxed($0) }
      self.explanation = explanation
      self.call = call
    }

    /// A stale copy to fall back on if the network fails.
    public var fallback: Expired? {
      get { copy?.value }
      set { copy = newValue.map { Boxed($0) } }
    }

    /// The request.
    public var request: Request { context.request }
    /// The key for lookups and for storing the response.
    public var key: CacheKey { context.key }
  }

  /// A copy from a store.
  public struct Found: Sendable {
    let context: FetchContext
    /// The copy.
    public internal(set) var response: StoredResponse
    /// The store of the copy.
    public internal(set) var source: Resource.Source
    /// The age of the copy in seconds, when its freshness was decided.
    var age: Double?
    /// The decisions so far.
    public var explanation: Explanation

    /// The request.
    public var request: Request { context.request }

    /// Returns the step with a further decision.
    func adding(_ decision: Decision) -> Found {
      var found = self
      found.explanation.add(decision)
      return found
    }
  }

  /// A copy that must be revalidated.
  public struct Expired: Sendable {
    var context: FetchContext
    /// The copy.
    public let response: StoredResponse
    /// The store of the copy.
    public let source: Resource.Source
    /// The uses that are allowed without a revalidation.
    public let uses: Reuse.StaleUses
    /// The age of the copy in seconds, when its freshness was decided.
    var age: Double?
    /// The decisions so far.
    public var explanation: Explanation

    /// The request.
    public var request: Request { context.request }
  }

  /// A response from the network that is not stored yet.
  public struct Downloaded: Sendable {
    var context: FetchContext
    /// The response, with its body in memory or in a spool file.
    ///
    /// After a revalidation, this is the copy with its new head.
    public var response: StoredResponse
    /// The relation to the previous copy.
    public let change: Change
    let transfer: TransferRecord
    /// The copy that was the response to the same request before.
    var superseded: StoredResponse?
    /// The judgement of ``Request/isError``, once a store has needed it.
    var isError: Bool?
    /// The decisions so far.
    public var explanation: Explanation

    /// The request.
    public var request: Request { context.request }
    /// The metrics of the transfer.
    public var metrics: TransferMetrics { transfer.metrics }
  }

  /// The relation of a downloaded response to the previous copy.
  public enum Change: Sendable, Hashable {
    /// The body is new.
    case replaced
    /// The body is that of a store's copy, which the origin has just confirmed.
    case validated(Resource.Source)
  }
}
