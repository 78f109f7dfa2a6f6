public import Freshet

extension Client {
  /// Shows the result of a query in a store, calls a service to refresh it, and follows the store.
  ///
  /// It is ``ModelStore/live(_:refresh:saving:by:now:)`` with ``/Freshet/Client/call(_:)``, by the
  /// client's clock.
  ///
  /// ```swift
  /// let timeline = ModelQuery(Tweet.self).sorted(by: \.createdAt, .descending).limit(50)
  /// for try await live in client.live(HomeTimeline(), timeline, in: models) { show(live) }
  /// ```
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint that returns new models; they are saved in the store.
  ///   - query: The query for the shown models.
  ///   - models: The store.
  ///   - policy: The policy that decides about a call; ``RefreshPolicy/always`` by default.
  ///   - save: The treatment of models that are not in the response; ``SavePolicy/adding`` by default.
  /// - Returns: A cold sequence: what is stored at once, then how the call has ended, with what is
  ///   stored then, then each change. An error response is an element, and stores nothing.
  public func live<Call: Endpoint, Model: PersistableModel>(
    _ endpoint: Call,
    _ query: ModelQuery<Model>,
    in models: ModelStore,
    refresh policy: RefreshPolicy = .always,
    saving save: SavePolicy = .adding
  ) -> LiveSequence<[Model], CallError<Call.Failure>> where Call.Output: Persistable {
    models.live(query, refresh: policy, saving: save, by: call(endpoint), now: configuration.now)
  }
}
