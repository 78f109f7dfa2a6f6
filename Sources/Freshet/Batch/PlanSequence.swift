/// What happens while a batch is planned: `counted` once for each distinct item, in any order, and
/// `planned` at the end.
public enum PlanEvent: Sendable {
  /// One more item is known, with the sums so far.
  case counted(BatchPlan.Item, BatchPlan.Totals)
  /// All are known.
  case planned(BatchPlan)
}

extension PlanEvent: PipelineEvent {
  /// The plan, once it is complete.
  public var value: BatchPlan? {
    if case .planned(let plan) = self { plan } else { nil }
  }

  /// Nothing: planning moves no bytes.
  public var progress: TransferProgress? { nil }
}

/// The planning of a batch, see ``Batch/plan(maxConcurrent:perHost:)``.
///
/// - Cold: each iteration looks and asks anew. Nothing is downloaded and nothing stored; a stored
///   response that a `HEAD` shows to be right or outdated is renewed or expires (RFC 9111 section
///   4.3.5).
/// - About a copy that has expired the origin is asked as a fetch would ask it; sizes are those that a
///   fetch counts, of decoded bodies.
/// - An item whose size cannot be found out is of unknown size and says why; it concerns no other.
/// - Repeated requests count once.
/// - It ends after `planned`; it throws only if the source fails or the task is cancelled.
/// - Ending or cancelling the iteration cancels what is under way.
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
      try await reader.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension PlanSequence.Iterator: Sendable {}

// MARK: - Description

extension PlanSequence: Worded, CustomStringConvertible {
  /// How many there are, and how they are planned.
  public var description: String { words.description }

  package var words: PipelineWords { PipelineWords(batch.wording, ".plan(\(limits.wording))") }
}
