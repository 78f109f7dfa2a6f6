import Synchronization

/// A refresh under way; it owns the slot, whoever started it and whoever waits.
final class CredentialRefresh: Sendable {
  let id: Int
  let credential: Credential
  let outcome = Settlement<Void>()
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(id: Int, credential: Credential) {
    self.id = id
    self.credential = credential
  }

  func run(_ operation: @escaping @Sendable () async -> Void) {
    task.withLock { $0 = Task { await operation() } }
  }

  /// Ends it for all who wait; what it still brings is dropped by its authenticator.
  func abandon(_ error: FreshetError) {
    outcome.settle(.failure(error))
    task.withLock { $0?.cancel() }
  }
}
