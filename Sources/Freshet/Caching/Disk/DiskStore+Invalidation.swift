public import FreshetEssentials
import Synchronization

extension DiskStore {
  /// Removes all responses stored for the key and for those that extend it, and rejects responses
  /// that were requested before, in this process, in others and in later launches, see
  /// ``ResourceSource/invalidate(_:at:)``.
  ///
  /// If they cannot be removed, because the disk is full or another process writes for too long,
  /// they are not served in this process, and are removed with the next response that can be
  /// written.
  ///
  /// - Parameters:
  ///   - key: The key of the URL.
  ///   - time: The time of the change at the origin, by the clock of the responses.
  public func invalidate(_ key: CacheKey, at time: Date) async {
    let mark = ChangeMark(time, heard: .now)
    shared.invalidations.withLock { $0.note(key, mark) }
    removeIncomplete { key.covers(CacheKey(text: $0.key)) }
    await write(key, mark)
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

  /// Writes the invalidations that could not be written before, before a response is stored: they remove what they
  /// find.
  ///
  /// - Throws: ``FreshetError/store(_:)`` if one for the response's key still cannot be written.
  func writeInvalidations(before key: CacheKey) async throws(FreshetError) {
    let waiting = shared.invalidations.withLock(\.all)
    if waiting.isEmpty { return }
    for (key, mark) in waiting { await write(key, mark) }
    guard shared.invalidations.withLock({ $0.time(of: key) }) == nil else {
      throw .store("a change of its resource could not be recorded before it")
    }
  }

  private func write(_ key: CacheKey, _ mark: ChangeMark) async {
    do throws(FreshetError) {
      try await writer.perform { transaction throws(SQLiteError) in
        try transaction.invalidate(key, mark)
      }
      shared.invalidations.withLock { $0.forget(key, mark) }
    } catch {
      // It has been reported as a diagnostic, and is tried again.
    }
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
