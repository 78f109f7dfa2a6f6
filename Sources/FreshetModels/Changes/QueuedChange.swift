public import FreshetEssentials

/// A change in a ``ChangeQueue`` that the server has not confirmed.
public struct QueuedChange: Sendable, Hashable, Identifiable {
  /// The state of a change.
  public enum State: Sendable, Hashable {
    /// It is sent when its turn comes.
    case waiting
    /// It was sent, and there is no answer yet.
    case sending
    /// It was sent, the answer was lost or said to try again, and it is sent again after a time.
    case retrying(after: Date, because: ChangeFailure)
    /// It is sent when a change that creates a model which it names was confirmed.
    case blocked
    /// The server has refused it, or a change that it depends on; the models are as without it.
    case failed(ChangeFailure)
    /// Its type is not registered in this process; it is kept, and not sent.
    case unknown
  }

  /// The identity of the change.
  public let id: UUID
  /// The name of its type, ``ModelChange/changeName``.
  public let name: String
  /// The name of the changed model's type.
  public let modelName: String
  /// The time when it was made.
  public let date: Date
  /// The number of times that it was sent, or may have been before a crash.
  ///
  /// An attempt that was ended here, such as by ``ChangeQueue/stop()``, only counts if it is the first one.
  public let attempts: Int
  /// The state.
  public let state: State
}

/// The state of a ``ChangeQueue``.
public struct ChangeQueueState: Sendable, Hashable {
  /// The changes that are not confirmed, in the order in which they were made.
  public var changes: [QueuedChange]
  /// A Boolean value that indicates whether nothing new is sent, see ``ChangeQueue/pause()``.
  public var isPaused: Bool

  /// The changes that will be sent, or are being sent.
  public var pending: [QueuedChange] {
    changes.filter { change in
      switch change.state {
      case .failed, .unknown: false
      case .waiting, .sending, .retrying, .blocked: true
      }
    }
  }

  /// The changes that the server has refused.
  public var failed: [QueuedChange] {
    changes.filter { if case .failed = $0.state { true } else { false } }
  }
}

extension QueuedChange {
  init(_ row: ChangeRow, isKnown: Bool, isBlocked: Bool) {
    id = row.id
    name = row.type
    modelName = row.subject.model
    date = Date(timeIntervalSince1970: row.time)
    attempts = row.attempts
    state =
      switch row.state {
      case .failed: .failed(row.failure ?? ChangeFailure(reason: "The server refused the change."))
      case _ where !isKnown: .unknown
      case .sending: .sending
      case .waiting where isBlocked: .blocked
      case .waiting:
        if let due = row.due, let failure = row.failure {
          .retrying(after: Date(timeIntervalSince1970: due), because: failure)
        } else {
          .waiting
        }
      }
  }
}
