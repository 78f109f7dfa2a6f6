/// An event of planning a batch: `counted` once for each distinct item, in any order, and `planned`
/// at the end.
public enum PlanEvent: Sendable {
  /// One more item was examined, with the sums so far.
  case counted(BatchPlan.Item, BatchPlan.Totals)
  /// All items were examined.
  case planned(BatchPlan)
}

extension PlanEvent: PipelineEvent {
  /// The plan, once it is complete.
  public var value: BatchPlan? {
    if case .planned(let plan) = self { plan } else { nil }
  }

  /// Always `nil`: planning transfers no bodies.
  public var progress: TransferProgress? { nil }
}

/// The planning of a batch, see ``Batch/plan(maxConcurrent:perHost:)``.
///
/// - Cold: each iteration examines all items again. Nothing is downloaded and nothing stored; a stored
///   response that a `HEAD` confirms or contradicts is updated or expires (RFC 9111 section 4.3.5).
/// - An expired copy is validated as in a fetch; sizes are those that a fetch reports, of decoded bodies.
/// - An item whose size cannot be determined has an unknown size and a reason; it does not affect others.
/// - Repeated requests count once.
/// - It ends after `planned`; it throws only if the source fails or the task is cancelled.
/// - Ending or cancelling the iteration cancels running requests.
/// - It never works on the reader's actor, see ``BatchSequence``.
public struct PlanSequence: AsyncSequence, Sendable {
  let batch: Batch
  let limits: BatchLimits

  /// Makes an iterator; nothing happens yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(reader: PlanReader(batch, limits))
  }

  /// Pulls the events.
  public struct Iterator: AsyncIteratorProtocol {
    let reader: PlanReader

    /// Waits for the next event; `nil` after `planned`.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> PlanEvent? {
      try await reader.next()
    }
  }
}

@available(*, unavailable)
extension PlanSequence.Iterator: Sendable {}

// MARK: - Description

extension PlanSequence: PipelineDescribable, CustomStringConvertible {
  /// The number of requests, and the options of the planning.
  package var words: PipelineDescription {
    PipelineDescription(batch.wording, ".plan(\(limits.wording))")
  }
}
