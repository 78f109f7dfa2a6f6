public import Freshet

extension Client {
  /// Makes a queue of changes that this client sends; see ``ChangeQueue/init(_:sending:_:)``.
  ///
  /// ```swift
  /// let changes = client.changes(in: models) { $0.register(Rename.self) }
  /// ```
  ///
  /// - Parameters:
  ///   - models: The store of the models.
  ///   - configure: A closure that registers the types, and changes the default policies.
  /// - Returns: A queue, which sends as long as it is referenced.
  public func changes(
    in models: ModelStore,
    _ configure: (inout ChangeQueue.Configuration) -> Void
  ) -> ChangeQueue {
    ChangeQueue(models, sending: self, configure)
  }
}
