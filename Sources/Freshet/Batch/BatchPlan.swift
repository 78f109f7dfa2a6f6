/// What a batch would have to fetch: a value that can be inspected, filtered, stored and run.
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
  public var totals: Totals {
    items.reduce(into: Totals()) { $0.add($1) }
  }

  /// The plan of some of the items.
  public func filter(_ isIncluded: (Item) throws -> Bool) rethrows -> BatchPlan {
    var plan = self
    plan.items = try items.filter(isIncluded)
    return plan
  }

  /// Fetches what is planned, as ``Batch/run(maxConcurrent:perHost:onFailure:control:journal:clock:)``
  /// does.
  ///
  /// What has become fresh or stale since is treated as it is now.
  ///
  /// - Parameters:
  ///   - maxConcurrent: How many run at once; 16 by default, at least 1 and at most 1,024.
  ///   - perHost: How many run at once for one scheme, host and port; 6 by default, at least 1.
  ///   - onFailure: What happens when one fails; the others go on, by default.
  ///   - control: Pauses and resumes the run; none by default.
  ///   - journal: Where it is written down what is done; none by default.
  ///   - clock: What rates are measured with; the system's by default.
  ///   - client: What fetches; by default the client that made the plan. A plan that was decoded has
  ///     none, and without one here its run fails with ``FreshetError/invalidRequest(_:url:)``.
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
        "its plan was decoded; name a client with run(with:)",
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
    /// Its position in what the batch was made of, from 0.
    public let index: Int
    /// What is wanted.
    public let request: Request
    /// What has to be transferred for it.
    public let need: Need
    /// Why its size could not be found out, or `nil`.
    public let problem: String?
  }

  /// What has to be transferred for a request.
  public enum Need: Sendable, Hashable {
    /// Nothing: a store has a copy that is fresh.
    case none
    /// No body: a store has a copy that has expired, and the origin still has the same.
    case validation
    /// A body of so many bytes, after decoding.
    case body(Int64)
    /// A body of unknown size, or something whose size could not be asked for.
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
    /// The distinct requests.
    public var items = 0
    /// The bytes that have to be transferred, as far as they are known.
    public var bytes: Int64 = 0
    /// The requests of unknown size, those among them that could not be asked for.
    public var unknown = 0
    /// The requests for which a store has a copy that is fresh.
    public var fresh = 0

    /// Makes sums of nothing.
    public init() {}

    mutating func add(_ item: Item) {
      items += 1
      // A server may announce any length.
      let (sum, isTooLarge) = bytes.addingReportingOverflow(item.need.bytes ?? 0)
      bytes = isTooLarge ? .max : sum
      if item.need == .unknown { unknown += 1 }
      if item.need == .none { fresh += 1 }
    }
  }
}
