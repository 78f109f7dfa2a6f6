extension Fetch {
  /// A request that is still looking for its resource.
  public struct Wanted: Sendable {
    let context: FetchContext
    var spare: Spare
    /// The decisions so far.
    public var explanation: Explanation
    /// How long the network has been asked about a copy so far.
    ///
    /// Not when it was asked first: the layout of an instant is only known when a program runs, and so
    /// would be that of each step.
    var spent = Duration.zero

    init(_ context: FetchContext, spare: Spare = .none, explanation: Explanation = Explanation()) {
      self.context = context
      self.spare = spare
      self.explanation = explanation
    }

    /// A stale copy to fall back on if the network fails.
    public var fallback: Expired? {
      get { spare.copy }
      set { spare = newValue.map(Spare.some) ?? .none }
    }

    /// What is wanted.
    public var request: Request { context.request }
    /// Under which key it is looked up and kept.
    public var key: CacheKey { context.key }
  }

  /// A copy that a store had.
  public struct Found: Sendable {
    let context: FetchContext
    /// The copy.
    public let response: StoredResponse
    /// Which store had it.
    public let origin: Resource.Origin
    /// Its age in seconds when its freshness was decided.
    var age: Double?
    /// The decisions so far.
    public var explanation: Explanation

    /// What is wanted.
    public var request: Request { context.request }
  }

  /// A copy that must be validated.
  public struct Expired: Sendable {
    let context: FetchContext
    /// The copy.
    public let response: StoredResponse
    /// Which store had it.
    public let origin: Resource.Origin
    /// When the copy may be used all the same.
    public let uses: Reuse.StaleUses
    /// Its age in seconds when that was decided.
    var age: Double?
    /// The decisions so far.
    public var explanation: Explanation

    /// What is wanted.
    public var request: Request { context.request }
  }

  /// A copy that there may be, in one reference: most fetches have none, and a step is moved from hand
  /// to hand.
  indirect enum Spare: Sendable {
    case none
    case some(Expired)

    var copy: Expired? {
      if case .some(let expired) = self { expired } else { nil }
    }
  }

  /// What the network delivered.
  public struct Downloaded: Sendable {
    var context: FetchContext
    /// The response, its body in memory or in a spool file; after a validation, the copy with its
    /// new head.
    public var response: StoredResponse
    /// How it relates to what was there before.
    public let change: Change
    let transfer: TransferRecord
    /// The copy that answered the same request so far.
    var superseded: StoredResponse?
    /// The decisions so far.
    public var explanation: Explanation

    /// What was wanted.
    public var request: Request { context.request }
    /// What the transfer took.
    public var metrics: TransferMetrics { transfer.metrics }
  }

  /// How a downloaded response relates to what was there before.
  public enum Change: Sendable, Hashable {
    /// The body is new.
    case replaced
    /// The body is the one of this store's copy, which the origin has just confirmed.
    case validated(Resource.Origin)
  }
}
