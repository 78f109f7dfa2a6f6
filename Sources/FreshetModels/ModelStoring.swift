public import Freshet

/// The requirements of `.persist(in:)` on a store of models.
///
/// ``ModelStore`` conforms to it; an adapter for Core Data, SwiftData or GRDB is a page of code,
/// see <doc:Models>.
public protocol ModelStoring: Sendable {
  /// Saves models, all of them or none.
  ///
  /// A model whose identity is stored already is updated; the last of several with the same identity stays.
  ///
  /// - Parameter models: The models, possibly none.
  /// - Returns: The models as they are stored now, one for each, in the same order.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if they could not be saved; nothing has changed
  ///   in that case.
  nonisolated(nonsending) func save<Model: PersistableModel>(
    _ models: [Model]
  ) async throws(FreshetError) -> [Model]
}
