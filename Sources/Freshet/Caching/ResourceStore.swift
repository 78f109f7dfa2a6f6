public import FreshetEssentials

/// A source of stored responses: a store, or seeds that are only read.
public protocol ResourceSource: Sendable {
  /// The source of the responses that are found here.
  var source: Resource.Source { get }

  /// Returns the stored response for the key that answers a request with these headers, or `nil`.
  ///
  /// Of several variants that match, one whose response had a `Vary` comes before one without, and
  /// then the one with the newest `Date` (RFC 9111 section 4.1). A corrupt entry is a miss. The
  /// source does not decide about freshness.
  nonisolated(nonsending) func find(
    _ key: CacheKey,
    for headers: HTTPHeaders
  ) async
    -> StoredResponse?

  /// Returns the stored response, if the source can do so without waiting.
  ///
  /// - Returns: ``ImmediateLookup/later``, the default, if ``find(_:for:)`` has to be called.
  func findNow(_ key: CacheKey, for headers: HTTPHeaders) -> ImmediateLookup

  /// Returns the stored response, like ``find(_:for:)``, which it calls by default, or the reason why the
  /// source could not look for it.
  ///
  /// `url` is the URL that the response probably has, so that a store need not parse it again. A fetch
  /// treats a failure as a miss, and names the reason in its explanation.
  nonisolated(nonsending) func lookUp(
    _ key: CacheKey,
    for headers: HTTPHeaders,
    likely url: URL
  ) async -> LookupResult

  /// Removes the responses of a key and of those that extend it, after a change at the origin (RFC
  /// 9111 section 4.4).
  ///
  /// A store also rejects responses that were requested before the change, because they may lack
  /// it. Responses of fetches are compared by the order of events, so that setting the clock has no
  /// effect; responses that were made by hand are compared by `time`.
  ///
  /// - Parameters:
  ///   - key: The key of the URL; those with a `Host` field, chosen header fields or a body extend
  ///     it.
  ///   - time: The time of the change, by the clock of the responses.
  nonisolated(nonsending) func invalidate(_ key: CacheKey, at time: Date) async

  /// Returns the time at which the key was invalidated last, if it is recorded; `nil` by default.
  nonisolated(nonsending) func invalidationTime(of key: CacheKey) async -> Date?

  /// The range of bytes that a request asks for, of a whole that the source has only parts of.
  ///
  /// - Parameters:
  ///   - request: The request, with a `Range`.
  ///   - key: Its key.
  ///   - headers: Its header fields with those that the transport would add.
  /// - Returns: A 206 with the range; `nil`, the default, where a source has no parts.
  nonisolated(nonsending) func findPart(
    of request: Request,
    _ key: CacheKey,
    for headers: HTTPHeaders
  ) async -> StoredResponse?

  /// Removes the parts of a whole that the source has only parts of, if a closure returns `true`.
  ///
  /// The default does nothing: a source has no parts.
  ///
  /// - Parameters:
  ///   - key: The key of the whole.
  ///   - headers: The header fields of a request that the parts would answer.
  ///   - isWanted: A closure that gets the response that the whole would have, without its body.
  nonisolated(nonsending) func removeParts(
    of key: CacheKey,
    for headers: HTTPHeaders,
    where isWanted: @Sendable (StoredResponse) -> Bool
  ) async
}

/// The result of a lookup without waiting.
public enum ImmediateLookup: Sendable {
  /// A copy.
  case copy(StoredResponse)
  /// No copy.
  case missing
  /// The source has to wait for the result.
  case later
}

/// The result of a lookup.
public enum LookupResult: Sendable {
  /// A copy.
  case copy(StoredResponse)
  /// No copy.
  case missing
  /// The source could not look for one.
  case failed(StoreFailure)
}

extension ResourceSource {
  /// Returns ``ImmediateLookup/later``: the source has to wait.
  public func findNow(_ key: CacheKey, for headers: HTTPHeaders) -> ImmediateLookup { .later }

  /// Returns the response that ``find(_:for:)`` finds.
  public func lookUp(
    _ key: CacheKey,
    for headers: HTTPHeaders,
    likely url: URL
  ) async -> LookupResult {
    await find(key, for: headers).map(LookupResult.copy) ?? .missing
  }

  /// Returns `nil`: the time is not recorded.
  public func invalidationTime(of key: CacheKey) async -> Date? { nil }

  /// The source has no parts.
  public func findPart(
    of request: Request,
    _ key: CacheKey,
    for headers: HTTPHeaders
  ) async -> StoredResponse? {
    nil
  }

  /// The source has no parts to remove.
  public func removeParts(
    of key: CacheKey,
    for headers: HTTPHeaders,
    where isWanted: @Sendable (StoredResponse) -> Bool
  ) async {}
}

/// A store of responses between fetches.
///
/// A store never loses a good copy to a bad one: a response that `keep` has acknowledged stays
/// until it is replaced, removed or evicted. A store that fails costs persistence, never the
/// response: the stages turn its errors into lines of the explanation.
public protocol ResourceStore: ResourceSource {
  /// A Boolean value that indicates whether an error is stored beside the copy of the resource with
  /// the same key and the same varying fields, and does not replace it; `false` by default.
  ///
  /// Such a store finds the newer of both, and returns the copy with the error. Other stores are
  /// given no error if they have a copy.
  var keepsErrorsBeside: Bool { get }

  /// Stores a response in place of the one with the same key and the same varying fields.
  ///
  /// A late response is not stored: one that was requested before its key was invalidated, and one
  /// that is older than the stored one, both by the server's `Date` and by the time it was
  /// received.
  ///
  /// - Parameter response: The response to store. A body in a spool file may be moved into the
  ///   store.
  /// - Returns: The response as it is stored now: the same bytes, perhaps in another place.
  /// - Throws: ``FreshetError/store(_:)`` if it was not stored; the earlier copy is unchanged.
  nonisolated(nonsending) func keep(
    _ response: StoredResponse
  ) async throws(FreshetError)
    -> StoredResponse

  /// Replaces the head and times of a stored response whose body stays the same, after a 304.
  ///
  /// If another body was stored meanwhile, or none, nothing is stored.
  ///
  /// - Parameter response: The response with its new head, and the body that the store returned.
  /// - Returns: The response as it is stored now.
  /// - Throws: ``FreshetError/store(_:)`` if it could not be stored; the earlier copy is unchanged.
  nonisolated(nonsending) func refresh(
    _ response: StoredResponse
  ) async throws(FreshetError)
    -> StoredResponse

  /// Removes all responses stored for the key, and for those that extend it.
  nonisolated(nonsending) func remove(_ key: CacheKey) async throws(FreshetError)

  /// Removes one variant: the response that is stored under the same key for the same varying
  /// fields.
  ///
  /// The default implementation removes all variants of the key.
  nonisolated(nonsending) func remove(_ response: StoredResponse) async throws(FreshetError)

  /// Marks a stored response as stale; it stays available for when the network fails.
  nonisolated(nonsending) func expire(_ response: StoredResponse) async
}

extension ResourceStore {
  /// A Boolean value that indicates whether errors are stored beside copies; `false`.
  public var keepsErrorsBeside: Bool { false }

  /// Stores the response with an unknown age; a failure leaves it unchanged.
  public func expire(_ response: StoredResponse) async {
    _ = try? await refresh(response.outdated())
  }

  /// Removes all responses stored for the key and for those that extend it; a failure leaves them.
  public func invalidate(_ key: CacheKey, at time: Date) async {
    try? await remove(key)
  }

  /// Removes all variants of the response's key.
  public func remove(_ response: StoredResponse) async throws(FreshetError) {
    try await remove(response.key)
  }
}
