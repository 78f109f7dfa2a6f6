/// A refresh in progress, which is independent of the requests that started it or wait for it.
struct CredentialRefresh: Sendable {
  let outcome: Promise<Void>
  let task: Task<Void, Never>

  /// Ends the refresh for all waiting requests; the authenticator drops a later result.
  func abandon(_ error: FreshetError) {
    outcome.settle(.failure(error))
    task.cancel()
  }
}
