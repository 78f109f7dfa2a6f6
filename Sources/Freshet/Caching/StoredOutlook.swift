package import FreshetEssentials
import Synchronization

/// The uses of a stored response now and later, for showing them.
package struct StoredOutlook: Sendable, Hashable {
  /// The age and the lifetime.
  package let freshness: CacheFreshness
  /// The time after the lifetime for which the copy may be served while it is refreshed, in seconds.
  package let staleWhileRevalidate: Double
  /// The time after the lifetime for which the copy may replace a failure, in seconds; infinite without a limit.
  package let staleIfError: Double
  /// A Boolean value that indicates whether the copy must be validated before each use.
  package let mustValidate: Bool
}

extension StoredResponse {
  /// Returns the uses of the response, as a `GET` of its URL would find them.
  ///
  /// - Parameters:
  ///   - expiry: The rule of the fetch for the lifetime.
  ///   - limits: The limits of the fetch for stale copies.
  ///   - now: The current time.
  /// - Returns: The uses.
  package func outlook(expiry: ExpiryPolicy, limits: StaleLimits, now: Date) -> StoredOutlook {
    let request = Request(.get, key.url ?? head.url)
    let freshness = ReusePolicy.freshness(of: self, for: request, now: now, expiry: expiry)
    let isOverridden = freshness.rule == .override
    let mustValidate = record.mustValidate && !isOverridden
    let control = isOverridden ? CacheControl() : record.control
    let isForbidden = mustValidate || control.flags.contains(.mustRevalidate)
    let onError = limits.onError.map { $0 / .seconds(1) } ?? .infinity
    return StoredOutlook(
      freshness: freshness,
      staleWhileRevalidate: isForbidden ? 0 : control.staleWhileRevalidate.map(Double.init) ?? 0,
      staleIfError: isForbidden
        ? 0 : min(onError, control.staleIfError.map(Double.init) ?? .infinity),
      mustValidate: mustValidate
    )
  }
}

extension StoredResponse {
  /// The response with an empty body, for what has to do with its head only.
  package var withoutBody: StoredResponse { with(body: ResourceBody(Data()), digest: nil) }
}

extension CacheKey {
  /// The URL of the key, if it is found by its URL alone.
  package var url: URL? {
    let text = String(own)
    return text.utf8.contains(UInt8(ascii: " ")) ? nil : URL(string: text)
  }
}

extension MemoryStore {
  /// The stored responses, in no particular order; reading them counts as no use.
  package var responses: [StoredResponse] { entries.withLock(\.all) }
}

extension DiskStore {
  /// Returns the response of an entry with an empty body, which is not read; it does not count as a use.
  ///
  /// - Parameter entry: One of ``entries``.
  /// - Returns: The response; `nil` if it was removed or replaced in the meantime, or is damaged.
  package func responseWithoutBody(for entry: Entry) async -> StoredResponse? {
    await isUsable() ? await hit(of: entry)?.response : nil
  }
}
