import Synchronization

/// A refresh in progress, which is independent of the requests that started it or wait for it.
final class CredentialRefresh: Sendable {
  let id: Int
  let credential: Credential?
  let outcome = Promise<Void>()
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(id: Int, credential: Credential?) {
    self.id = id
    self.credential = credential
  }

  func run(_ operation: @escaping @Sendable () async -> Void) {
    task.withLock { $0 = Task { await operation() } }
  }

  /// Ends the refresh for all waiting requests; the authenticator drops a later result.
  func abandon(_ error: FreshetError) {
    outcome.settle(.failure(error))
    task.withLock { $0?.cancel() }
  }
}
