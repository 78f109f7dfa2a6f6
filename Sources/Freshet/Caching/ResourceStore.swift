public import Foundation

/// Where responses are looked up: a store, or seeds that are only read.
public protocol ResourceSource: Sendable {
  /// What a hit here is called.
  var origin: Resource.Origin { get }

  /// The stored response for the key that answers a request with these headers, or `nil`.
  ///
  /// Of several variants that match, one whose response had a `Vary` comes before one without, and
  /// then the one with the newest `Date` (RFC 9111 section 4.1). A corrupt entry is a miss. It does
  /// not decide about freshness.
  nonisolated(nonsending) func find(
    _ key: CacheKey,
    for headers: HTTPHeaders
  ) async
    -> StoredResponse?

  /// The stored response, where the source can tell without waiting.
  ///
  /// - Returns: ``ImmediateLookup/later``, the default, to be asked by ``find(_:for:)``.
  func findNow(_ key: CacheKey, for headers: HTTPHeaders) -> ImmediateLookup

  /// The stored response, as ``find(_:for:)`` returns it, which it calls by default.
  ///
  /// `url` is the URL that the response probably has, so that a store need not parse it again.
  nonisolated(nonsending) func find(
    _ key: CacheKey,
    for headers: HTTPHeaders,
    likely url: URL
  ) async -> StoredResponse?

  /// Stops answering for a key and for those that extend it, after something has changed at the origin
  /// (RFC 9111 section 4.4).
  ///
  /// What was asked for before the change says nothing of it: a store does not keep it any more. Fetches are
  /// compared by the order in which they and the change came, so that a clock that is set does not matter;
  /// responses that no fetch has brought are compared by `time`.
  ///
  /// - Parameters:
  ///   - key: The key of the URL; those with a `Host` field, chosen header fields or a body extend it.
  ///   - time: When it changed, by the clock of the responses.
  nonisolated(nonsending) func invalidate(_ key: CacheKey, at time: Date) async

  /// When the key was invalidated last, as far as that is remembered; `nil` by default.
  nonisolated(nonsending) func invalidationTime(of key: CacheKey) async -> Date?
}

/// The answer of a source that is asked not to wait.
public enum ImmediateLookup: Sendable {
  /// A copy.
  case copy(StoredResponse)
  /// No copy.
  case missing
  /// The source has to wait to tell.
  case later
}

extension ResourceSource {
  /// The source has to wait.
  public func findNow(_ key: CacheKey, for headers: HTTPHeaders) -> ImmediateLookup { .later }

  /// The response that ``find(_:for:)`` finds.
  public func find(
    _ key: CacheKey,
    for headers: HTTPHeaders,
    likely url: URL
  ) async -> StoredResponse? {
    await find(key, for: headers)
  }

  /// Stops answering for a key and for those that extend it, from now on.
  ///
  /// - Parameter key: The key of the URL.
  public func invalidate(_ key: CacheKey) async {
    await invalidate(key, at: Date())
  }

  /// It is not remembered.
  public func invalidationTime(of key: CacheKey) async -> Date? { nil }
}

/// Where responses rest between fetches.
///
/// A store never loses a good copy to a bad one: what `keep` has acknowledged stays until it is
/// replaced, removed or evicted. A store that fails costs persistence, never the answer: the stages
/// turn its errors into lines of the explanation.
public protocol ResourceStore: ResourceSource {
  /// Whether an error is kept beside the copy of the resource that is stored under the same key, for
  /// the same varying fields, and takes not its place; `false` by default.
  ///
  /// Such a store finds the newer of both, and the copy comes with the error. Other stores are given
  /// no error where they have a copy.
  var keepsErrorsBeside: Bool { get }

  /// Keeps a response in place of the one with the same key and the same varying fields.
  ///
  /// A response that comes late is not kept: one that was asked for before its key was invalidated, and
  /// one that is older than the stored one, both by the server's `Date` and by when it was received.
  ///
  /// - Parameter response: What to keep. A body in a spool file may be moved into the store.
  /// - Returns: The response as it is stored now: the same bytes, perhaps in another place.
  /// - Throws: ``FreshetError/store(_:)`` if it was not kept; the earlier copy is untouched.
  nonisolated(nonsending) func keep(
    _ response: StoredResponse
  ) async throws(FreshetError)
    -> StoredResponse

  /// Replaces the head and times of a stored response whose body stays as it is, after a 304.
  ///
  /// If another body is stored by now, or none, it keeps nothing.
  ///
  /// - Parameter response: The response with its new head, and the body that the store handed out.
  /// - Returns: The response as it is stored now.
  /// - Throws: ``FreshetError/store(_:)`` if it could not be kept; the earlier copy is untouched.
  nonisolated(nonsending) func refresh(
    _ response: StoredResponse
  ) async throws(FreshetError)
    -> StoredResponse

  /// Removes all responses stored for the key, and for those that extend it.
  nonisolated(nonsending) func remove(_ key: CacheKey) async throws(FreshetError)

  /// Removes one variant: what is stored under the response's key for the same varying fields.
  ///
  /// Without an implementation of its own, a store removes all variants of the key.
  nonisolated(nonsending) func remove(_ response: StoredResponse) async throws(FreshetError)

  /// Lets a stored response count as stale; it stays there for when the network fails.
  nonisolated(nonsending) func expire(_ response: StoredResponse) async
}

extension ResourceStore {
  /// `false`: the store has one response for each choice of what `Vary` names.
  public var keepsErrorsBeside: Bool { false }

  /// Renews the response under an unknown age; a failure leaves it as it is.
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
