public import Freshet

/// A type that a ``ModelStore`` stores: a value with an identity.
///
/// Declaring the conformance is enough: its fields are stored as its `Codable` conformance encodes them.
///
/// - Saving a model with an identity that is stored already updates it, in every process. An identity with
///   several fields is compared by its stored bytes: texts in it with differently encoded accents differ.
/// - A nested model, also in an array, a dictionary or a plain struct, is stored separately; the
///   outer one refers to it, and reading combines them again.
/// - Stored fields that this type does not declare are kept when it is saved over them: those of a
///   newer version of the app, and those of another type with the same ``modelName``. So a summary
///   and a full description of the same thing may be two types with one name. They must have the
///   same ``modelVersion`` and the same ``migrate(_:from:)``: the second of two with different
///   versions fails with ``/Freshet/FreshetError/store(_:)``.
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
  /// The name of the model in the store, which must not change when the type is renamed.
  static var modelName: String { get }

  /// The number of the version, which changes with each ``migrate(_:from:)``; 1 by default.
  ///
  /// Adding an optional field, or removing one, needs no migration.
  static var modelVersion: Int { get }

  /// The fields that a ``ModelQuery`` may use; none by default.
  ///
  /// A field that is added later is filled for all stored models, at the first use of the model.
  static var indexes: [ModelIndex<Self>] { get }

  /// Migrates stored fields of an older ``modelVersion`` to this one; it changes nothing by default.
  ///
  /// - It runs for all stored models at the first use of the model, in one transaction, and later
  ///   for models that an older app has written since, when they are read.
  /// - It must depend on the fields only. Fields that it does not change stay.
  ///
  /// - Parameters:
  ///   - fields: The stored fields, by coding key.
  ///   - version: The version that wrote them, less than ``modelVersion``.
  /// - Throws: Any error; the stored fields stay unchanged, and the model cannot be used.
  static func migrate(
    _ fields: inout [String: ModelValue],
    from version: Int
  ) throws
}

extension PersistableModel {
  /// The first version: there is no migration yet.
  public static var modelVersion: Int { 1 }

  /// No fields.
  public static var indexes: [ModelIndex<Self>] { [] }

  /// Changes nothing.
  public static func migrate(
    _ fields: inout [String: ModelValue],
    from version: Int
  ) throws {}

  /// Saves the models in one transaction.
  ///
  /// - Parameters:
  ///   - values: The models.
  ///   - store: The store of the models.
  /// - Returns: The models as they are stored now, in the same order.
  /// - Throws: The error of the store.
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
