import FreshetEssentials

struct ChangeRow {
  enum State: Int64 {
    /// It is sent when its turn comes.
    case waiting
    /// It was sent, and there is no answer yet.
    case sending
    /// The server has refused it; it has no effect on the models.
    case failed
  }

  /// Its place in the order of all changes.
  let number: Int64
  let id: UUID
  let type: String
  /// The encoded endpoint.
  var body: [UInt8]
  /// The idempotency key, the same for all attempts; empty for a failed change that is retried with a new one.
  var key: String
  var subject: EntityKey
  /// A Boolean value that indicates whether the server assigns the subject's identity.
  let creates: Bool
  var state = State.waiting
  /// The number of times that it was sent, or may have been.
  var attempts = 0
  /// The time when it was made, in seconds since 1970.
  let time: Double
  /// The time before which it is not sent again.
  var due: Double?
  /// The reason of the last failure.
  var failure: ChangeFailure?
  /// The subject as it was confirmed when the change was made, or as it was in its last conflict, with earlier
  /// changes that were confirmed since.
  var base: StoredRecord?
}

/// The columns by which it is decided what is sent next.
struct ChangeEntry: Sendable, Equatable {
  let number: Int64
  var subject: EntityKey
  var state = ChangeRow.State.waiting
  /// A Boolean value that indicates whether its type is registered.
  var isKnown = true
  /// A Boolean value that indicates whether it waits for the identity that another change creates.
  var isBlocked = false
  /// A Boolean value that indicates whether it may have reached the server.
  var wasSent = false
  var due: Double?
}
