public import Freshet

/// What `.persist(in:)` can take from a response: models, arrays and optionals of them, containers.
///
/// ``PersistableModel`` and ``PersistableContainer`` bring the implementation.
public protocol Persistable: Sendable {
  /// Saves what is in the values.
  ///
  /// - Parameters:
  ///   - values: The values; several, so that they share one transaction.
  ///   - store: Where to save it.
  /// - Returns: The values with what is stored now, one for each, in the same order.
  /// - Throws: What the store throws; nothing is saved then.
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
  ///   - store: Where to save the elements.
  /// - Returns: The arrays with what is stored now.
  /// - Throws: What the store throws.
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
  /// Saves the values that are there.
  ///
  /// - Parameters:
  ///   - values: The optionals.
  ///   - store: Where to save what is in them.
  /// - Returns: The optionals with what is stored now.
  /// - Throws: What the store throws.
  public static func persist(
    _ values: [Wrapped?],
    in store: some ModelStoring
  ) async throws(FreshetError) -> [Wrapped?] {
    let present = values.compactMap(\.self)
    var rest = try await Wrapped.persist(present, in: store)[...]
    try checkCount(rest.count, of: present.count)
    return values.map { $0 == nil ? nil : rest.popFirst() }
  }
}

/// A store of somebody else's may break its promise, which must not become a wrong value.
func checkCount(_ count: Int, of expected: Int) throws(FreshetError) {
  if count == expected { return }
  throw .store("it returned \(count) models for \(expected) that were saved")
}
