public import Freshet

/// What `.persist(in:)` needs of a store of models.
///
/// ``ModelStore`` is one; Core Data, SwiftData or GRDB behind it is a page of code, see
/// <doc:Models>.
public protocol ModelStoring: Sendable {
  /// Saves models, all of them or none.
  ///
  /// A model whose identity is stored already is updated; the last of several with the same
  /// identity stays.
  ///
  /// - Parameter models: The models, perhaps none.
  /// - Returns: The models as they are stored now, one for each, in the same order.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if they could not be saved; nothing has changed then.
  nonisolated(nonsending) func save<Model: PersistableModel>(
    _ models: [Model]
  ) async throws(FreshetError) -> [Model]
}
