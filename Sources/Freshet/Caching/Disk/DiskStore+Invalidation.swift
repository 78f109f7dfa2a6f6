public import FreshetEssentials
import Synchronization

extension DiskStore {
  /// Removes all responses stored for the key and for those that extend it, and rejects responses
  /// that were requested before, in this process, in others and in later launches, see
  /// ``ResourceSource/invalidate(_:at:)``.
  ///
  /// If they cannot be removed, because the disk is full or another process writes for too long,
  /// they are not served in this process, and are removed before the next response is written, or when the
  /// store is closed.
  ///
  /// - Parameters:
  ///   - key: The key of the URL.
  ///   - time: The time of the change at the origin, by the clock of the responses.
  public func invalidate(_ key: CacheKey, at time: Date) async {
    let mark = ChangeMark(time, heard: .now)
    shared.invalidations.withLock { $0.note(key, mark) }
    // What stays is older than the invalidation, and is not served.
    _ = removeIncomplete { key.covers(CacheKey(text: $0.key)) }
    // It has been reported as a diagnostic if it fails, and is tried again.
    try? await writeInvalidations()
  }

  /// Returns the time at which the key was invalidated last; the last 4,096 invalidations are
  /// recorded.
  ///
  /// - Parameter key: The key of the URL.
  /// - Returns: The time of the change, by the clock of the responses, or `nil` if none is recorded.
  public func invalidationTime(of key: CacheKey) async -> Date? {
    let waiting = shared.invalidations.withLock { $0.time(of: key) }
    guard await isUsable() else { return waiting }
    let written: Date? =
      (try? readers.read { reader throws(SQLiteError) in try reader.invalidationTime(of: key) })
      ?? nil
    return written.map { max($0, waiting ?? $0) } ?? waiting
  }

  /// Returns a Boolean value that indicates whether a response should have been removed.
  func isInvalidated(_ response: StoredResponse) -> Bool {
    shared.invalidations.withLock { !$0.isEmpty && $0.mayConcern(stored: response) }
  }

  /// Writes the invalidations that wait before a response is stored, because they remove what they find.
  ///
  /// - Throws: ``FreshetError/store(_:)`` if the response may lack one of them, or if one for its key cannot be
  ///   written.
  func writeInvalidations(before response: StoredResponse) async throws(FreshetError) {
    guard shared.invalidations.withLock({ !$0.isEmpty }) else { return }
    var failure: FreshetError?
    do throws(FreshetError) {
      try await writeInvalidations()
    } catch {
      failure = error
    }
    let (isLate, isWaiting) = shared.invalidations.withLock {
      ($0.concern(response), $0.time(of: response.key) != nil)
    }
    if isLate { throw StoreFailure.Reason.invalidated.error }
    if let failure, isWaiting { throw failure }
  }

  private func writeInvalidations() async throws(FreshetError) {
    let written = try await writer.perform { [shared] transaction throws(SQLiteError) in
      // Those that somebody else has written meanwhile would remove what was stored after them.
      let waiting = shared.invalidations.withLock(\.all)
      for (key, mark) in waiting { try transaction.invalidate(key, mark) }
      return waiting
    }
    shared.invalidations.withLock { for (key, mark) in written { $0.forget(key, mark) } }
  }
}

extension DiskStore {
  /// Marks a stored response as stale; it stays available for when the network fails.
  ///
  /// If that cannot be written, because the disk is full, it applies in this process only.
  public func expire(_ response: StoredResponse) async {
    do throws(FreshetError) {
      _ = try await refresh(response.outdated())
    } catch {
      guard error.storeFailure?.isLate != true else { return }
      shared.expired.withLock { expired in
        if expired.count >= Invalidations.limit { expired = [:] }
        expired[response.key] = max(expired[response.key] ?? .distantPast, response.responseTime)
      }
    }
  }

  func isExpired(_ response: StoredResponse) -> Bool {
    shared.expired.withLock { expired in
      !expired.isEmpty && response.responseTime <= expired[response.key] ?? .distantPast
    }
  }
}
