public import Freshet

/// A type that a ``ModelStore`` keeps: a value with an identity.
///
/// Declaring it is enough: its fields are stored the way its `Codable` conformance writes them.
///
/// - Saving a model with an identity that is stored already updates it, whoever saves it.
/// - A model inside another one, also in an array, a dictionary or a plain struct, is stored as
///   itself; the other one refers to it, and reading puts them together again.
/// - Fields that this type does not know are kept when it is saved over them: those of a newer
///   version of the app, and those of another type with the same ``modelName``. So a summary and
///   a full description of the same thing may be two types with one name. They must have the same
///   ``modelVersion`` and the same ``migrate(_:from:)``: the second of two that differ in the
///   version fails with ``/Freshet/FreshetError/store(_:)``.
///
/// ```swift
/// struct User: PersistableModel {
///   static let modelName = "User"
///   static let indexes = [ModelIndex(\User.name, "name")]
///   let id: Int
///   var name: String
/// }
/// ```
public protocol PersistableModel: Codable, Identifiable, Persistable
where ID: Codable & Sendable {
  /// What the model is called in the store; it stays the same when the type is renamed.
  static var modelName: String { get }

  /// Counts the changes that need ``migrate(_:from:)``; 1 by default.
  ///
  /// A field that is added as an optional, or removed, needs none.
  static var modelVersion: Int { get }

  /// The fields that a ``ModelQuery`` may name; none by default.
  ///
  /// One that is added later is filled for everything stored, at the first use of the model.
  static var indexes: [ModelIndex<Self>] { get }

  /// Brings stored fields of an older ``modelVersion`` to this one; changes nothing by default.
  ///
  /// - It runs for all that is stored at the first use of the model, in one transaction, and later
  ///   for what an older app has written since, when it is read.
  /// - It must depend on nothing but the fields. Those that it does not touch stay.
  ///
  /// - Parameters:
  ///   - fields: What is stored, by coding key.
  ///   - version: The version that wrote it, less than ``modelVersion``.
  /// - Throws: Any error; the stored fields stay as they were, and the model cannot be used.
  static func migrate(
    _ fields: inout [String: ModelValue],
    from version: Int
  ) throws(FreshetError)
}

extension PersistableModel {
  /// 1: nothing has been migrated yet.
  public static var modelVersion: Int { 1 }

  /// No fields.
  public static var indexes: [ModelIndex<Self>] { [] }

  /// Changes nothing.
  public static func migrate(
    _ fields: inout [String: ModelValue],
    from version: Int
  ) throws(FreshetError) {}

  /// Saves the models in one transaction.
  ///
  /// - Parameters:
  ///   - values: The models.
  ///   - store: Where to save them.
  /// - Returns: The models as they are stored now, in the same order.
  /// - Throws: What the store throws.
  public static func persist(
    _ values: [Self],
    in store: some ModelStoring
  ) async throws(FreshetError) -> [Self] {
    try await store.save(values)
  }
}

extension PersistableModel {
  static var indexPaths: [String] { indexes.map(\.path) }
}
