import FreshetEssentials

/// Many resources at once, fetched by one client.
///
/// A batch is a description: nothing happens before its plan or its run is iterated, and each
/// iteration does the work again. Fresh stored resources are not fetched again.
///
/// ```swift
/// let plan = try await client.batch(urls).plan().value
/// print(plan.totals.items, plan.totals.bytes)
/// for try await event in plan.run(maxConcurrent: 6) {
///   if case .advanced(let progress) = event { bar.fraction = progress.fraction }
/// }
/// ```
public struct Batch: Sendable {
  let client: Client
  let source: BatchSource
  let policy: ResourcePolicy?

  var usedPolicy: ResourcePolicy { policy ?? client.configuration.policy }
}

extension Batch {
  /// Determines what the batch would fetch, without fetching it.
  ///
  /// Each request is looked up in the stores. For missing or expired resources, the origin is asked
  /// for the size: by `HEAD`, or where that is not allowed (405, 501) by a `GET` of one byte. The size of a
  /// response to another method is unknown.
  ///
  /// - Parameters:
  ///   - maxConcurrent: The number of requests that are examined at once; 16 by default.
  ///   - perHost: The number of those for one host; 6 by default.
  /// - Returns: A cold sequence of events that ends with the plan, also for an empty batch.
  public func plan(maxConcurrent: Int = 16, perHost: Int = 6) -> PlanSequence {
    PlanSequence(
      batch: self,
      limits: BatchLimits(maxConcurrent, perHost, base: client.configuration.baseURL)
    )
  }

  /// Fetches all resources, as one stream.
  ///
  /// - Parameters:
  ///   - maxConcurrent: The number of items that run at once; 16 by default, at least 1 and at most 1,024.
  ///   - perHost: The number of items that run at once for one scheme, host and port; 6 by default,
  ///     at least 1.
  ///   - onFailure: The behaviour when an item fails; the others continue by default.
  ///   - control: A control that pauses and resumes the run; none by default.
  ///   - journal: The journal that records the progress, so that another process can continue; none
  ///     by default.
  ///   - clock: The clock for measuring rates; the system's by default.
  /// - Returns: A cold sequence of events that ends with the result, also for an empty batch.
  public func run<C: Clock>(
    maxConcurrent: Int = 16,
    perHost: Int = 6,
    onFailure: BatchFailurePolicy = .collect,
    control: BatchControl? = nil,
    journal: BatchJournal? = nil,
    clock: C = ContinuousClock()
  ) -> BatchSequence where C.Duration == Duration {
    BatchSequence(
      batch: self,
      limits: BatchLimits(maxConcurrent, perHost, base: client.configuration.baseURL),
      onFailure: onFailure,
      control: control,
      journal: journal,
      now: clock.stopwatch()
    )
  }
}

/// The behaviour of a run when an item fails.
public enum BatchFailurePolicy: Sendable, Hashable {
  /// The failure is an event and part of the result; the others continue.
  case collect
  /// The run ends with the failure; running items are cancelled.
  case end
}

/// The number of items that run at once.
struct BatchLimits: Sendable {
  /// The largest number of workers.
  private static let most = 1_024

  let maxConcurrent: Int
  let perHost: Int
  /// The host of relative URLs; `nil` if the client has no base URL.
  private let base: HostKey?

  init(_ maxConcurrent: Int, _ perHost: Int, base: URL? = nil) {
    self.maxConcurrent = min(max(1, maxConcurrent), Self.most)
    self.perHost = max(1, perHost)
    self.base = base.map { HostKey($0) }
  }

  /// Returns the host of a request.
  func host(of request: Request) -> HostKey {
    let host = request.host
    return host.isEmpty ? base ?? host : host
  }

  /// The number of items that wait, so that a worker need not.
  var window: Int { 4 * maxConcurrent }

  /// Returns the number of places that each of so many hosts has, whatever the others do.
  func share(of hosts: Int) -> Int { min(perHost, max(1, maxConcurrent / max(1, hosts))) }

  /// The limits of the scheduler, which orders items and applies the limit per host; the number of
  /// workers limits the whole.
  var scheduler: RequestLimits {
    var limits = RequestLimits.none
    limits.perHost = perHost
    return limits
  }
}
