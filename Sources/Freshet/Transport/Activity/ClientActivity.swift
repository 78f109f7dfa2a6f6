public import FreshetEssentials
import Synchronization

/// A registry of running calls, for showing and cancelling them.
///
/// It tracks the calls of each transport that is decorated with ``Transport/tracked(by:)``.
///
/// ```swift
/// let activity = ClientActivity()
/// let client = Client { $0.activity = activity }
/// for await _ in activity.changes { spinner.isVisible = !activity.isIdle }
/// activity.cancel(tagged: "search")
/// ```
public final class ClientActivity: Sendable {
  private struct State {
    var calls: [Int: TrackedCall] = [:]
    var count = 0
  }

  private let state = Mutex(State())
  private let bulletin: LossyBroadcast<Change>
  let now: @Sendable () -> Date

  /// Creates an activity without calls.
  ///
  /// - Parameters:
  ///   - capacity: The number of changes that are kept for slow readers; 1,000 by default.
  ///   - now: A closure that returns the current time; the system's by default.
  public init(capacity: Int = 1_000, now: @escaping @Sendable () -> Date = { Date() }) {
    bulletin = LossyBroadcast(capacity: capacity)
    self.now = now
  }

  /// A running call.
  public struct Call: Sendable, Identifiable {
    /// The number of the call; the calls of one activity are counted from 1.
    public let id: Int
    /// The method of the request.
    public let method: HTTPMethod
    /// The URL of the request before redirects, without user, password, query and fragment.
    public let url: String
    /// The tags of the request.
    public let tags: Set<String>
    /// The time at which the call began.
    public let began: Date
    /// A Boolean value that indicates whether the call waits for the network, see
    /// ``Request/Timeouts/waitsForConnectivity``.
    public internal(set) var isWaitingForConnectivity = false
    /// The progress of the upload, once some of it was reported.
    public internal(set) var sent: TransferProgress?
    /// The status of the response, once its head has arrived.
    public internal(set) var status: HTTPStatus?
    /// The progress of the response's body.
    public internal(set) var received: TransferProgress
  }

  /// A change of the registry.
  public enum Change: Sendable {
    /// A call has begun.
    case began(Call)
    /// A call begins to wait for the network, or goes on.
    case changedWait(Call)
    /// A call has ended, either complete or with an error.
    case ended(Call, FreshetError?)
    /// The last running call has ended; this follows its `ended`.
    case becameIdle
  }
}

extension ClientActivity {
  /// The running calls, in the order in which they began.
  public var calls: [Call] {
    state.withLock { Array($0.calls.values) }.map(\.call).sorted { $0.id < $1.id }
  }

  /// The number of running calls.
  public var count: Int { state.withLock(\.calls.count) }

  /// A Boolean value that indicates whether no call is running.
  public var isIdle: Bool { count == 0 }

  /// The changes from now on, with one `began` and one `ended` for each call.
  ///
  /// The sequence ends when the reading task is cancelled. A reader that falls behind by more than the
  /// capacity misses the oldest changes; ``calls`` is always accurate.
  public var changes: some AsyncSequence<Change, Never> & Sendable {
    LossyBroadcastSequence(bulletin: bulletin)
  }

  /// Cancels a call, which then fails with ``FreshetError/cancelled``.
  public func cancel(_ id: Call.ID) {
    state.withLock { $0.calls[id] }?.cancel()
  }

  /// Cancels the running calls that have a tag.
  public func cancel(tagged tag: String) {
    cancel { $0.tags.containsTag(tag) }
  }

  /// Cancels all running calls; later ones are not affected.
  public func cancelAll() {
    cancel { _ in true }
  }

  /// Ends the calls of a client.
  func cancel(of lifecycle: ClientLifecycle) {
    cancel { $0.lifecycle === lifecycle }
  }

  private func cancel(where isMeant: (TrackedCall) -> Bool) {
    for call in state.withLock({ Array($0.calls.values) }) where isMeant(call) {
      call.cancel()
    }
  }

  func add(_ call: TrackedCall, number: (Int) -> Void) {
    state.withLock { state in
      state.count += 1
      number(state.count)
      state.calls[state.count] = call
      if bulletin.isRead { bulletin.post(.began(call.call)) }
    }
  }

  func noteWait(_ call: TrackedCall) {
    if bulletin.isRead { bulletin.post(.changedWait(call.call)) }
  }

  func remove(_ call: TrackedCall, _ id: Int, _ error: FreshetError?) {
    state.withLock { state in
      guard state.calls.removeValue(forKey: id) != nil, bulletin.isRead else { return }
      bulletin.post(.ended(call.call, error))
      if state.calls.isEmpty { bulletin.post(.becameIdle) }
    }
  }
}
