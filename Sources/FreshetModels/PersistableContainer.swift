public import Freshet

/// A container of models, such as a page, of which only a part is stored.
///
/// ```swift
/// struct Timeline: Decodable, PersistableContainer {
///   var tweets: [Tweet]
///   var nextCursor: String?
///   var persistedPart: [Tweet] {
///     get { tweets }
///     set { tweets = newValue }
///   }
/// }
/// ```
public protocol PersistableContainer: Persistable {
  /// The type of the part.
  associatedtype PersistedPart: Persistable

  /// The part that is stored; it is set to the stored value.
  var persistedPart: PersistedPart { get set }
}

extension PersistableContainer {
  /// Saves the parts only.
  ///
  /// - Parameters:
  ///   - values: The containers.
  ///   - store: The store of the parts.
  /// - Returns: The containers with the stored parts.
  /// - Throws: The error of the store.
  public static func persist(
    _ values: [Self],
    in store: some ModelStoring
  ) async throws(FreshetError) -> [Self] {
    let parts = try await PersistedPart.persist(values.map(\.persistedPart), in: store)
    try checkCount(parts.count, of: values.count)
    return zip(values, parts)
      .map { value, part in
        var value = value
        value.persistedPart = part
        return value
      }
  }
}
