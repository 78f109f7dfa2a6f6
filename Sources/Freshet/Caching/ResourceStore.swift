/// Where responses rest between fetches.
///
/// A store never loses a good copy to a bad one: what `keep` has acknowledged stays until it is
/// replaced, removed or evicted. A store that fails costs persistence, never the answer: the stages
/// turn its errors into lines of the explanation.
public protocol ResourceStore: Sendable {
  /// What a hit in this store is called.
  var origin: Resource.Origin { get }

  /// The newest stored response for the key whose ``StoredResponse/varying`` fields match the
  /// request's headers, or `nil`.
  ///
  /// A corrupt entry is a miss. It does not decide about freshness.
  nonisolated(nonsending) func find(
    _ key: CacheKey,
    for headers: HTTPHeaders
  ) async
    -> StoredResponse?

  /// Keeps a response in place of the one with the same key and the same varying fields.
  ///
  /// - Parameter response: What to keep. A body in a spool file may be moved into the store.
  /// - Returns: The response as it is stored now: the same bytes, perhaps in another place.
  /// - Throws: ``FreshetError/store(_:)`` if it could not be kept; the earlier copy is untouched.
  nonisolated(nonsending) func keep(
    _ response: StoredResponse
  ) async throws(FreshetError)
    -> StoredResponse

  /// Replaces the head and times of a stored response whose body stays as it is, after a 304.
  ///
  /// - Parameter response: The response with its new head, and the body that the store handed out.
  /// - Returns: The response as it is stored now.
  /// - Throws: ``FreshetError/store(_:)`` if it could not be kept; the earlier copy is untouched.
  nonisolated(nonsending) func refresh(
    _ response: StoredResponse
  ) async throws(FreshetError)
    -> StoredResponse

  /// Removes all responses stored for the key.
  nonisolated(nonsending) func remove(_ key: CacheKey) async throws(FreshetError)
}
