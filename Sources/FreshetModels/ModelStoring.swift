public import Freshet

/// The requirements of `.persist(in:)` and ``/Freshet/Client/Configuration/models`` on a store of models.
///
/// ``ModelStore`` is one; Core Data, SwiftData or GRDB behind it is a page of code, see
/// <doc:CoreDataAdapter>,
/// <doc:SwiftDataAdapter> and <doc:GRDBAdapter>.
public protocol ModelStoring: ModelSaving {
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

extension ModelStoring {
  /// Saves the models in a value that a call has decoded: those of a ``Persistable``.
  ///
  /// - Parameter value: A value of any type.
  /// - Returns: The value with its models as they are stored now.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if they could not be saved; nothing has changed then.
  public func save<Value: Sendable>(decoded value: Value) async throws(FreshetError) -> Value {
    // A route may deliver a model behind a protocol.
    guard let type = type(of: value as Any) as? any Persistable.Type else { return value }
    return try await save(value, as: type)
  }

  private func save<Value: Sendable, Body: Persistable>(
    _ value: Value,
    as type: Body.Type
  ) async throws(FreshetError) -> Value {
    guard let body = value as? Body else { return value }
    return try await body.persisted(in: self) as? Value ?? value
  }
}
