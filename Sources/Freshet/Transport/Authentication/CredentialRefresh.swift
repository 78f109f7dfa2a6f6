import Synchronization

/// A refresh in progress, which is independent of the requests that started it or wait for it.
final class CredentialRefresh: Sendable {
  let credential: Credential?
  let outcome = Promise<Void>()
  private let state = Mutex(State.waiting)

  private enum State {
    case waiting
    case running(Task<Void, Never>)
    case abandoned
  }

  init(_ credential: Credential?) {
    self.credential = credential
  }

  /// Runs the refresh, unless it is abandoned already.
  func run(_ operation: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      if case .waiting = state { state = .running(Task { await operation() }) }
    }
  }

  /// Ends the refresh for all waiting requests; the authenticator drops a later result.
  func abandon(_ error: FreshetError) {
    outcome.settle(.failure(error))
    state.withLock { state in
      if case .running(let task) = state { task.cancel() }
      state = .abandoned
    }
  }
}
