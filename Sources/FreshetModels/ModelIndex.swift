/// A field for queries, with its key path and the coding key under which it is stored.
///
/// If another kind of value is stored there, or the type has no such key, saving a model fails with
/// ``/Freshet/FreshetError/store(_:)``, because it could not be found by the field.
///
/// ```swift
/// static let indexes = [
///   ModelIndex(\Tweet.createdAt, "created_at"),
///   ModelIndex(\Tweet.user.id, "user"),
///   ModelIndex(\Tweet.place?.city, "place.city"),
/// ]
/// ```
public struct ModelIndex<Model>: Sendable {
  let keyPath: any PartialKeyPath<Model> & Sendable
  let path: String

  /// Declares a field.
  ///
  /// - Parameters:
  ///   - keyPath: The property, as used in queries.
  ///   - codingPath: Its coding key; keys of nested structs are separated by dots. The key of a
  ///     nested model means the model's identity.
  public init<Value: Encodable>(
    _ keyPath: any KeyPath<Model, Value> & Sendable,
    _ codingPath: String
  ) {
    self.keyPath = keyPath
    path = codingPath
  }
}
