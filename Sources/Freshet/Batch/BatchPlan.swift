/// The items that a batch would have to fetch: a value that can be inspected, filtered, stored and run.
///
/// ```swift
/// let plan = try await client.batch(urls).plan().value
/// try JSONEncoder().encode(plan).write(to: file)
/// let small = plan.filter { ($0.need.bytes ?? 0) < 1 << 20 }
/// let result = try await small.run().value
/// ```
public struct BatchPlan: Sendable {
  /// The distinct requests, in the order of the batch.
  public private(set) var items: [Item]
  /// The batch's client and policy, which are not part of the stored form.
  var client: Client?
  var policy: ResourcePolicy?

  init(_ items: [Item], client: Client? = nil, policy: ResourcePolicy? = nil) {
    self.items = items.sorted { $0.index < $1.index }
    self.client = client
    self.policy = policy
  }

  /// The sums of all items.
  public var totals: Totals { items.reduce(into: Totals()) { $0.add($1) } }

  /// Returns the plan with some of the items.
  public func filter(_ isIncluded: (Item) throws -> Bool) rethrows -> BatchPlan {
    var plan = self
    plan.items = try items.filter(isIncluded)
    return plan
  }

  /// Runs the plan, like ``Batch/run(maxConcurrent:perHost:onFailure:control:journal:clock:)``.
  ///
  /// Changes of freshness since the plan was made are taken into account.
  ///
  /// - Parameters:
  ///   - maxConcurrent: The number of items that run at once; 16 by default, at least 1 and at most 1,024.
  ///   - perHost: The number of items that run at once for one scheme, host and port; 6 by default,
  ///     at least 1.
  ///   - onFailure: The behaviour when an item fails; the others continue by default.
  ///   - control: A control that pauses and resumes the run; none by default.
  ///   - journal: The journal that records the progress; none by default.
  ///   - clock: The clock for measuring rates; the system's by default.
  ///   - client: The client that fetches; by default the one that made the plan. A plan that was
  ///     decoded has none, and without one here its run fails with
  ///     ``FreshetError/invalidRequest(_:url:)``.
  /// - Returns: A cold sequence of events that ends with the result.
  public func run<C: Clock>(
    maxConcurrent: Int = 16,
    perHost: Int = 6,
    onFailure: BatchFailurePolicy = .collect,
    control: BatchControl? = nil,
    journal: BatchJournal? = nil,
    clock: C = ContinuousClock(),
    with client: Client? = nil
  ) -> BatchSequence where C.Duration == Duration {
    batch(client)
      .run(
        maxConcurrent: maxConcurrent,
        perHost: perHost,
        onFailure: onFailure,
        control: control,
        journal: journal,
        clock: clock
      )
  }

  private func batch(_ other: Client?) -> Batch {
    guard let client = other ?? client else {
      let problem = FreshetError.invalidRequest(
        "the plan was decoded and has no client; run it with run(with:)",
        url: ""
      )
      return Batch(client: Client(), source: .failing(problem), policy: nil)
    }
    return client.batch(self, policy: policy)
  }
}

extension BatchPlan {
  /// One request of a plan.
  public struct Item: Sendable {
    /// Its position in the source of the batch, from 0.
    public let index: Int
    /// The request with the choices that the batch was given for it.
    public let entry: BatchEntry
    /// The request.
    public var request: Request { entry.request }
    /// The amount to transfer for it; a body counts whole, even if a part of it is stored already.
    public let need: Need
    /// The reason why its size could not be determined, or `nil`.
    public let problem: String?
  }

  /// The amount to transfer for a request.
  public enum Need: Sendable, Hashable {
    /// Nothing: a store has a copy that is used as it is.
    case none
    /// No body: a store has an expired copy that the origin has confirmed.
    case validation
    /// A body of this number of bytes, after decoding; stored parts of it, which are not transferred
    /// again, are included.
    case body(Int64)
    /// A body of unknown size, or a request whose size could not be determined.
    case unknown

    /// The bytes, or `nil` if their number is not known.
    public var bytes: Int64? {
      switch self {
      case .none, .validation: 0
      case .body(let count): count
      case .unknown: nil
      }
    }
  }

  /// The sums of a plan.
  public struct Totals: Sendable, Hashable {
    /// The number of distinct requests.
    public var items = 0
    /// The number of bytes of the bodies to transfer, without those of unknown size.
    ///
    /// Bodies count whole, even if parts of them are stored already.
    public var bytes: Int64 = 0
    /// The number of requests of unknown size, including those whose size could not be determined.
    public var unknown = 0
    /// The number of requests that need nothing.
    public var fresh = 0

    /// Makes sums of zero.
    public init() {}

    mutating func add(_ item: Item) {
      items += 1
      bytes = bytes.saturatingSum(item.need.bytes ?? 0)
      if item.need == .unknown { unknown += 1 }
      if item.need == .none { fresh += 1 }
    }
  }
}
