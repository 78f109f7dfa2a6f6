/// A run of a batch, see ``Batch/run(maxConcurrent:perHost:onFailure:control:journal:clock:)``.
///
/// - Cold: nothing happens before it is iterated, and each iteration runs the batch again.
/// - Items run in the order of their priorities and, with equal priorities, in the order of the batch,
///   as far as their hosts have room. They end in any order.
/// - The hosts share the places equally, up to `perHost` each: a host takes more than its share only if
///   nothing waits for another one. In a list, fewer hosts that do not answer than places do not stop the others.
/// - Of a sequence, order and shares concern the items that are read ahead: four times the number of those
///   that run at once, and up to 64 times while all of these are for hosts that have their share. While few
///   items wait, or the sequence has had no further one for 5 milliseconds when an item ends, hosts take more.
///   An item that has waited for two seconds is raised by one priority.
/// - Values and failures are never dropped: the run waits for a slow reader. Progress is conflated
///   to the newest.
/// - It ends after `finished`; with ``BatchFailurePolicy/end``, or when the source fails, it throws once.
/// - Ending or cancelling the iteration cancels running items.
/// - The items are processed in tasks of their own, never on the reader's actor or on an executor
///   that the reader's task prefers.
/// - The memory of a run of a sequence depends on the numbers of concurrent and of failed items, not on the
///   number of all.
public struct BatchSequence: AsyncSequence, Sendable {
  let batch: Batch
  let limits: BatchLimits
  let onFailure: BatchFailurePolicy
  let control: BatchControl?
  let journal: BatchJournal?
  let now: @Sendable () -> Duration

  /// Makes an iterator; nothing happens yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(reader: BatchReader(self))
  }

  /// Pulls the events of one run.
  public struct Iterator: AsyncIteratorProtocol {
    let reader: BatchReader

    /// Waits for the next event; `nil` after `finished`.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> BatchEvent? {
      while true {
        switch try reader.step() {
        case .event(let event): return event
        case .nothing: await reader.news()
        case .end: return nil
        }
      }
    }

    /// Marks the item done whose final value has been received, if the journal waits for that.
    package func confirm(_ index: Int) {
      reader.confirm(index)
    }

    /// Marks a failed item done, whose failure is an answer to its reader.
    package func accept(_ index: Int) {
      reader.accept(index)
    }
  }
}

@available(*, unavailable)
extension BatchSequence.Iterator: Sendable {}

// MARK: - Description

extension BatchSequence: PipelineDescribable, CustomStringConvertible {
  /// The number of requests, and the options of the run.
  package var words: PipelineDescription {
    let policy = onFailure == .end ? "onFailure: .end" : ""
    let journal = journal == nil ? "" : "journal: journal"
    return PipelineDescription(
      batch.wording,
      ".run" + PipelineText.parameters(limits.wording, policy, journal)
    )
  }
}

extension Batch {
  var wording: String {
    if case .queue = source { return "batch of a queue" }
    return source.count.map { "batch of \($0) request\($0 == 1 ? "" : "s")" }
      ?? "batch of a sequence"
  }
}

extension BatchLimits {
  var wording: String { "maxConcurrent: \(maxConcurrent), perHost: \(perHost)" }
}
