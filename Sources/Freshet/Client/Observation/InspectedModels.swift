package import FreshetEssentials

/// A store of models that an inspector can show; `ModelStore` is one.
package protocol InspectedModels: AnyObject, Sendable {
  /// Returns the figures of each type of model, those with the most models first.
  ///
  /// - Throws: ``FreshetError/store(_:)`` if the store cannot be read.
  @concurrent func figures() async throws(FreshetError) -> [ModelFigures]
}

/// The figures of the models of one type in a store.
package struct ModelFigures: Sendable, Hashable {
  /// The name of the type.
  package var name: String
  /// The number of models.
  package var count: Int
  /// The length of their records in bytes.
  package var bytes: Int64
  /// The number of live queries of the type that the network has answered, and the times of the first and the last.
  package var refreshes: Span
  /// The number of changes of the type that the server has neither confirmed nor refused, and the times of the first and the last.
  package var pending: Span

  /// A number of events, and the times of the first and the last; `nil` if there is none.
  package struct Span: Sendable, Hashable {
    package var count: Int
    package var first: Date?
    package var last: Date?

    package init(count: Int, first: Date?, last: Date?) {
      self.count = count
      self.first = first
      self.last = last
    }
  }

  package init(name: String, count: Int, bytes: Int64, refreshes: Span, pending: Span) {
    self.name = name
    self.count = count
    self.bytes = bytes
    self.refreshes = refreshes
    self.pending = pending
  }
}
