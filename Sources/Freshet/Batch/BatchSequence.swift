/// A batch at work, see ``Batch/run(maxConcurrent:perHost:onFailure:control:journal:clock:)``.
///
/// - Cold: nothing happens before it is iterated, and each iteration runs the batch anew.
/// - Items run in the order of their priorities and, among equals, in the order of the batch; one that
///   has waited for two seconds ranks one priority higher. They end in any order.
/// - Values and failures are never dropped: the run waits for a reader that is slow. Progress is
///   conflated to the newest.
/// - It ends after `finished`; with ``BatchFailurePolicy/end``, or when the source fails, it throws
///   once.
/// - Ending or cancelling the iteration cancels what is under way.
/// - The work on the items runs in tasks of its own, never on the reader's actor nor on an executor that
///   the reader's task prefers.
/// - Its memory depends on how many run at once and on how many have failed, not on how many there
///   are.
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
        case .nothing: await reader.news(isolation: actor)
        case .end: return nil
        }
      }
    }

    /// Tells that the item is done whose final value has been received, where the journal waits for it.
    package func confirm(_ index: Int) {
      reader.confirm(index)
    }
  }
}

@available(*, unavailable)
extension BatchSequence.Iterator: Sendable {}

// MARK: - Description

extension BatchSequence: Worded, CustomStringConvertible {
  /// How many there are, and how they are run.
  public var description: String { words.description }

  package var words: PipelineWords {
    let policy = onFailure == .end ? "onFailure: .end" : ""
    let journal = journal == nil ? "" : "journal: journal"
    return PipelineWords(
      batch.wording,
      ".run" + Wording.parameters(limits.wording, policy, journal)
    )
  }
}

extension Batch {
  var wording: String {
    source.count.map { "batch of \($0) request\($0 == 1 ? "" : "s")" } ?? "batch of a sequence"
  }
}

extension BatchLimits {
  var wording: String { "maxConcurrent: \(maxConcurrent), perHost: \(perHost)" }
}
