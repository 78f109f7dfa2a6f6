import FreshetEssentials
import Synchronization

/// A call that others than its reader can see and end.
///
/// The request of each exchange refers to it, so that what the call waits for can be ended without a task
/// of its own: an exchange is cancelled, a pause or a place in a queue is given up.
final class TrackedCall: Sendable {
  private struct State {
    var id = 0
    var began = Date.distantPast
    /// The number of what an outer call does to this one when it is cancelled.
    var outerEnding = 0
    var isOver = false
    var work: ClientLifecycle.Work?
    var isWaiting = false
    var sent: TransferProgress?
    var head: ResponseHead?
    var received: Int64 = 0
    var isCancelled = false
    var observer: (any CallObserver)?
    /// The actions that end what the call waits for, the innermost last.
    var endings: [Ending] = []
    var nextEnding = 0
  }

  private struct Ending {
    let id: Int
    let action: @Sendable () -> Void
  }

  /// The request of the call.
  private let request: Request
  private let tracking: CallTracking
  private let state = Mutex(State())

  init(_ request: Request, by tracking: CallTracking) {
    self.request = request
    self.tracking = tracking
  }

  /// The lifecycle of the client that makes the call.
  var lifecycle: ClientLifecycle? { tracking.lifecycle }

  var tags: Set<String> { request.tags }

  var isCancelled: Bool { state.withLock(\.isCancelled) }

  /// The call at this moment.
  var call: ClientActivity.Call {
    state.withLock { state in
      ClientActivity.Call(
        id: state.id,
        method: request.method,
        url: Redaction.shown(request.url),
        tags: request.tags,
        began: state.began,
        isWaitingForConnectivity: state.isWaiting,
        sent: state.sent,
        status: state.head?.status,
        received: TransferProgress(completed: state.received, total: state.head?.decodedLength)
      )
    }
  }

  /// Notes an event.
  ///
  /// - Returns: `true` if the call was cancelled in the meantime.
  func note(_ event: TransferEvent) -> Bool {
    let (isCancelled, hasChanged, observer) = state.withLock { state in
      let wasWaiting = state.isWaiting
      state.isWaiting = false
      switch event {
      case .waitingForConnectivity:
        state.isWaiting = true
      case .sent(let progress):
        state.sent = progress
      case .head(let head):
        state.head = head
      case .body(let chunk):
        state.received += Int64(chunk.count)
      case .redirected, .retrying, .interim, .finished:
        break
      }
      return (state.isCancelled, state.isWaiting != wasWaiting, state.observer)
    }
    if hasChanged { tracking.activity.noteWait(self) }
    observer?.received(event)
    return isCancelled
  }
}

// MARK: - Life

extension TrackedCall {
  /// Begins, when the first event is waited for.
  ///
  /// - Throws: ``FreshetError/shutDown(url:)`` if its client takes no new calls.
  func begin() throws(FreshetError) {
    var work: ClientLifecycle.Work?
    if let lifecycle {
      work = lifecycle.begin(request.scope)
      guard work != nil else { throw .shutDown(url: Redaction.shown(request.url)) }
    }
    let activity = tracking.activity
    let now = activity.now()
    let observer = tracking.isOfFetch ? nil : lifecycle?.observer?.callBegan(request)
    let outerEnding = request.call?.onCancel { [weak self] in self?.cancel() }
    activity.add(self) { id in
      state.withLock { state in
        state.id = id
        state.began = now
        state.work = work
        state.observer = observer
        if let outerEnding { state.outerEnding = outerEnding }
      }
    }
    // A shutdown cancels the calls that have been added; it may have come before this one was.
    if lifecycle?.isOver == true { cancel() }
  }

  /// Ends, once.
  func end(_ error: FreshetError?) {
    let (id, outerEnding, work, observer) = state.withLock { state in
      defer { state.isOver = true }
      return (
        state.isOver ? 0 : state.id, state.outerEnding, state.work.take(), state.observer.take()
      )
    }
    guard id > 0 else { return }
    observer?.ended(error)
    request.call?.forget(outerEnding)
    tracking.activity.remove(self, id, error)
    // The client waits for it up to here.
    withExtendedLifetime(work) {}
  }
}

// MARK: - Cancellation

extension TrackedCall {
  /// Ends the call: what it waits for is ended, and its reader's next step throws.
  func cancel() {
    let endings = state.withLock { state in
      state.isCancelled = true
      return exchange(&state.endings, with: [])
    }
    for ending in endings.reversed() { ending.action() }
  }

  /// Has something done when the call is cancelled; at once if it has been.
  ///
  /// - Parameter action: Ends what the call waits for; it is called once, from any thread.
  /// - Returns: The number for ``forget(_:)``.
  func onCancel(_ action: @escaping @Sendable () -> Void) -> Int {
    let id = state.withLock { state -> Int? in
      guard !state.isCancelled else { return nil }
      state.nextEnding += 1
      state.endings.append(Ending(id: state.nextEnding, action: action))
      return state.nextEnding
    }
    if id == nil { action() }
    return id ?? 0
  }

  /// Forgets what would be done when the call is cancelled.
  func forget(_ id: Int) {
    let ending = state.withLock { state in
      state.endings.lastIndex { $0.id == id }.map { state.endings.remove(at: $0) }
    }
    // What it holds is released outside of the lock.
    _ = ending
  }
}

extension Request {
  /// Waits for something that only the cancellation of its task ends: in a task of its own, if the request
  /// is of a call that others may end.
  ///
  /// - Parameter work: The work to wait for.
  /// - Returns: Its result.
  /// - Throws: The failure of the work.
  func waiting<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard let call else { return try await work() }
    let task = Task { await Result.awaiting(work) }
    let ending = call.onCancel { task.cancel() }
    defer { call.forget(ending) }
    return try await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    .get()
  }
}
