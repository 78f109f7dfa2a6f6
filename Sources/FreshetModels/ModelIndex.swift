/// A field that queries may name, by its key path and by the coding key under which it is stored.
///
/// If another kind of value is stored there, or the type has no such key, saving a model fails with
/// ``/Freshet/FreshetError/store(_:)``: nothing would be found by it.
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
  ///   - keyPath: The property, as queries name it.
  ///   - codingPath: Its coding key, the keys of nested structs with dots between them. That of a
  ///     nested model stands for the model's identity.
  public init<Value: Encodable>(
    _ keyPath: any KeyPath<Model, Value> & Sendable,
    _ codingPath: String
  ) {
    self.keyPath = keyPath
    path = codingPath
  }
}
