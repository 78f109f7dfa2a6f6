public import Freshet

/// A change that the server has answered with 409 or 412.
public struct ChangeConflict<Change: ModelChange>: Sendable {
  /// The change that was refused.
  public let change: Change
  /// The subject as it was confirmed when the change was made, with the earlier changes of it that the server
  /// has confirmed since; `nil` if it was not stored.
  ///
  /// In another conflict of a change that a closure has returned with ``ChangeResolution/mine(_:)``, it is the
  /// ``theirs`` of the one before.
  public let base: Change.Subject?
  /// The subject as it is shown, with all pending changes.
  public let mine: Change.Subject?
  /// The subject of the server: from the body of its response, or as it is confirmed in the store.
  ///
  /// The body is decoded as the output of the change is, by its payload and decoding, if the output is the
  /// subject as well. Otherwise, and if that fails, it is decoded as plain JSON.
  public let theirs: Change.Subject?
  /// The error response.
  public let error: CallError<Change.Failure>
  /// The client of the queue, to ask for the server's state.
  public let client: Client
}

/// The decision about a conflict.
public enum ChangeResolution<Change: ModelChange>: Sendable {
  /// The server's state stays: the change is dropped, and the model, if there is one, is saved.
  case theirs(Change.Subject? = nil)
  /// This change is sent instead, with a new idempotency key.
  case mine(Change)
  /// The change has failed, and is kept for ``ChangeQueue/retry(_:)``.
  case refused
}

/// The way in which the queue handles a 409 or 412.
///
/// A 409 after an attempt without an answer does not count as a conflict: the server may still process that
/// attempt, so the change is sent again with the same idempotency key.
public enum ConflictPolicy<Change: ModelChange>: Sendable {
  /// As any other refusal: the change is rolled back, and has failed.
  case refuse
  /// The change is sent again, with a new idempotency key, after the usual pause: the last write wins.
  case lastWriteWins
  /// A closure compares base, mine and theirs. It may ask the network, or a person.
  ///
  /// No other change of the model is sent meanwhile; those of other models are, and it does not count among
  /// ``ChangeQueue/Configuration/maximumConcurrent``. Its task is cancelled by ``ChangeQueue/stop()``, which waits
  /// for its end, and by ``ChangeQueue/removeAll()``, which does not.
  case resolving(@Sendable (ChangeConflict<Change>) async -> ChangeResolution<Change>)
}

/// The way in which a new change supersedes the one before it of the same type and model.
///
/// Only a change that was never sent is superseded, and only if no other change of the model was made
/// between the two.
public enum SupersedingPolicy<Change: ModelChange>: Sendable {
  /// Both are sent.
  case none
  /// The earlier one is dropped.
  case lastWriteWins
  /// A closure sees the subject as it is confirmed, the earlier change and the new one, and returns
  /// the change that takes the place of both; `nil` keeps both.
  case merging(
    @Sendable (_ base: Change.Subject?, _ earlier: Change, _ later: Change) -> Change?
  )
}
