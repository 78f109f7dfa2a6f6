extension ResourceSequence {
  /// Begins the same fetch behind a value that is served stale; `nil` if that is not wanted.
  var refresh: (@Sendable (FetchContext) -> Void)? {
    guard policy.stale == .servedWhileRefreshing, policy.network != .forbidden else { return nil }
    let refreshes = client.settings.configuration.refreshes ?? client.settings.ownRefreshes
    let sequence = behind
    return { context in
      let subject = Refreshes.Subject(key: context.key, headers: context.headers)
      refreshes.begin(subject) { _ = try? await sequence.value }
    }
  }

  /// The fetch that nobody waits for.
  private var behind: ResourceSequence {
    var request = context.request
    request.priority = .low
    var policy = policy
    policy.stale = .withheld
    return ResourceSequence(
      context: FetchContext(request: request, partition: context.partition, added: [:]),
      choices: FetchChoices(policy, over: choices.route),
      client: client.withoutRefreshes,
      host: nil
    )
  }
}

extension Client {
  /// The same client for what is refreshed: it does not keep alive what ends the refresh.
  fileprivate var withoutRefreshes: Client {
    var configuration = settings.configuration
    configuration.activity = settings.activity
    configuration.refreshes = nil
    return Client(settings: Settings(configuration, sharing: settings))
  }
}
