/// Many resources at once: what is wanted, and from which client.
///
/// A batch is a description: nothing happens before its plan or its run is iterated, and each
/// iteration does the work anew. What is stored is not fetched again.
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
  /// Finds out what the batch would fetch, without fetching it.
  ///
  /// Each request is looked up in the stores; for what is missing or expired, the origin is asked for
  /// the size: by `HEAD`, or where that is not allowed (405, 501) by a `GET` of one byte.
  ///
  /// - Parameters:
  ///   - maxConcurrent: How many are looked at at once; 16 by default.
  ///   - perHost: How many for one host; 6 by default.
  /// - Returns: A cold sequence of events that ends with the plan; an empty batch has one too.
  public func plan(maxConcurrent: Int = 16, perHost: Int = 6) -> PlanSequence {
    PlanSequence(batch: self, limits: BatchLimits(maxConcurrent, perHost))
  }

  /// Fetches all, as one stream.
  ///
  /// - Parameters:
  ///   - maxConcurrent: How many run at once; 16 by default, at least 1 and at most 1,024.
  ///   - perHost: How many run at once for one scheme, host and port; 6 by default, at least 1.
  ///   - onFailure: What happens when one fails; the others go on, by default.
  ///   - control: Pauses and resumes the run; none by default.
  ///   - journal: Where it is written down what is done, so that another process can continue; none
  ///     by default.
  ///   - clock: What rates are measured with; the system's by default.
  /// - Returns: A cold sequence of events that ends with the result; an empty batch has one too.
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
      limits: BatchLimits(maxConcurrent, perHost),
      onFailure: onFailure,
      control: control,
      journal: journal,
      now: clock.stopwatch()
    )
  }
}

/// What a run does when an item fails.
public enum BatchFailurePolicy: Sendable, Hashable {
  /// The failure is an event and part of the result; the others go on.
  case collect
  /// The run ends with the failure; what is under way is cancelled.
  case end
}

/// How much of a batch runs at once.
struct BatchLimits: Sendable {
  /// As many workers as are worth having.
  private static let most = 1_024

  let maxConcurrent: Int
  let perHost: Int

  init(_ maxConcurrent: Int, _ perHost: Int) {
    self.maxConcurrent = min(max(1, maxConcurrent), Self.most)
    self.perHost = max(1, perHost)
  }

  /// Workers limit the whole; the scheduler orders, and keeps to the hosts' limit.
  var scheduler: RequestLimits {
    var limits = RequestLimits.none
    limits.perHost = perHost
    return limits
  }
}
