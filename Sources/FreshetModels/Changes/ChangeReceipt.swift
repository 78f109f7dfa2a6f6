public import Freshet
public import FreshetEssentials

/// The receipt of a change that is stored in a ``ChangeQueue``.
public struct ChangeReceipt<Change: ModelChange>: Sendable {
  /// The identity of the change in the queue.
  public let id: UUID
  let settlement: ChangeSettlement

  /// Waits until the change is confirmed, and returns the output of its call.
  ///
  /// Cancelling the task only ends the wait: the change stays in the queue. A superseded change has the
  /// output of the change that replaces it.
  ///
  /// - Throws: The error response or failure by which the change was refused, also the 409 or 412
  ///   of a conflict that ended with ``ChangeResolution/theirs(_:)``;
  ///   ``/Freshet/FreshetError/store(_:)`` within it if a change that it depends on was refused or
  ///   removed, and ``/Freshet/FreshetError/cancelled`` if the change was removed, another process
  ///   has sent it, the queue has ended, or the task was cancelled.
  public var output: Change.Output {
    get async throws(CallError<Change.Failure>) {
      switch await settlement.result() {
      case .confirmed(let output as Change.Output): return output
      case .refused(let error as CallError<Change.Failure>): throw error
      case .refused(let error as FreshetError): throw .failed(error)
      case .refused, .confirmed, nil: throw .failed(.cancelled)
      }
    }
  }
}

/// The end of a change, for the receipts in this process.
final class ChangeSettlement: Sendable {
  enum Result: Sendable {
    case confirmed(any Sendable)
    case refused((any Error)?)

    /// The end of a change that needs one which was refused or removed.
    static let dependent = Result.refused(
      FreshetError.store("a change that it depends on was refused or removed")
    )
  }

  private let state = Watched<Result?>(nil)

  func settle(_ result: Result) {
    state.update { $0 = $0 ?? result }
  }

  /// The end; `nil` before it.
  var current: Result? { state.read { $0 } }

  /// Waits for the end; `nil` as soon as the task is cancelled.
  func result() async -> Result? {
    await state.first { $0 }
  }
}
