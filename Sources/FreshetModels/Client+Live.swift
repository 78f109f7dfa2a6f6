public import Freshet

extension Client {
  /// Shows what a query finds in a store, calls a service behind it, and follows the store.
  ///
  /// It is ``ModelStore/live(_:refresh:by:now:)`` with ``/Freshet/Client/call(_:)``.
  ///
  /// ```swift
  /// let timeline = ModelQuery(Tweet.self).sorted(by: \.createdAt, .descending).limit(50)
  /// for try await live in client.live(HomeTimeline(), timeline, in: models) { show(live) }
  /// ```
  ///
  /// - Parameters:
  ///   - endpoint: What brings new models; they are saved in the store.
  ///   - query: What to show of the store.
  ///   - models: The store.
  ///   - policy: When to call; ``RefreshPolicy/always`` by default.
  /// - Returns: A cold sequence: what is stored at once, then how the call has ended, with what is
  ///   stored then, then each change. An error response is an element, and stores nothing.
  public func live<Call: Endpoint, Model: PersistableModel>(
    _ endpoint: Call,
    _ query: ModelQuery<Model>,
    in models: ModelStore,
    refresh policy: RefreshPolicy = .always
  ) -> LiveSequence<[Model], CallError<Call.Failure>> where Call.Output: Persistable {
    models.live(query, refresh: policy, by: call(endpoint))
  }
}
