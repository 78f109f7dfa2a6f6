public import Freshet

/// A value of a response that `.persist(in:)` can save: models, arrays and optionals of them, containers.
///
/// ``PersistableModel`` and ``PersistableContainer`` have default implementations.
public protocol Persistable: Sendable {
  /// Saves the models in the values.
  ///
  /// - Parameters:
  ///   - values: The values; several, so that they share one transaction.
  ///   - store: The store of the models.
  /// - Returns: The values with the stored models, one for each, in the same order.
  /// - Throws: The error of the store; nothing is saved in that case.
  nonisolated(nonsending) static func persist(
    _ values: [Self],
    in store: some ModelStoring
  ) async throws(FreshetError) -> [Self]
}

extension Array: Persistable where Element: Persistable {
  /// Saves the elements of all arrays together.
  ///
  /// - Parameters:
  ///   - values: The arrays.
  ///   - store: The store of the elements.
  /// - Returns: The arrays with the stored elements.
  /// - Throws: The error of the store.
  public static func persist(
    _ values: [[Element]],
    in store: some ModelStoring
  ) async throws(FreshetError) -> [[Element]] {
    let flat = values.flatMap(\.self)
    var rest = try await Element.persist(flat, in: store)[...]
    try checkCount(rest.count, of: flat.count)
    return values.map { value in
      defer { rest = rest.dropFirst(value.count) }
      return Array(rest.prefix(value.count))
    }
  }
}

extension Optional: Persistable where Wrapped: Persistable {
  /// Saves the values that are not `nil`.
  ///
  /// - Parameters:
  ///   - values: The optionals.
  ///   - store: The store of their values.
  /// - Returns: The optionals with the stored values.
  /// - Throws: The error of the store.
  public static func persist(
    _ values: [Wrapped?],
    in store: some ModelStoring
  ) async throws(FreshetError) -> [Wrapped?] {
    let present = values.compactMap(\.self)
    // Nothing is not an empty list, which may replace another one.
    if present.isEmpty, !values.isEmpty { return values }
    var rest = try await Wrapped.persist(present, in: store)[...]
    try checkCount(rest.count, of: present.count)
    return values.map { $0 == nil ? nil : rest.popFirst() }
  }
}

/// Checks the number of results, because a custom store may return a wrong one, which must not
/// become a wrong value.
func checkCount(_ count: Int, of expected: Int) throws(FreshetError) {
  if count == expected { return }
  throw .store("it returned \(count) models for \(expected) that were saved")
}
