#if Redis && !canImport(Darwin)
public import Freshet
public import FreshetEssentials
import Synchronization

/// Removals.
///
/// A removal takes effect immediately for all processes: responses that were stored before it are not found,
/// and responses that were requested before it are not stored. After a removal by prefix, the latter applies
/// to the whole partition. A removal by key frees memory of the server; other removals free it when the
/// responses expire.
extension SharedStore {
  /// Removes all responses stored for the key and for those that extend it.
  ///
  /// - Parameter key: The key.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the server has not confirmed it in time.
  public func remove(_ key: CacheKey) async throws(FreshetError) {
    try await remove(.key(key))
  }

  /// Removes one variant: the copy, or the error, that is stored under the response's key for the same
  /// varying fields.
  ///
  /// - Parameter response: A response of the variant.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the server has not confirmed it in time.
  public func remove(_ response: StoredResponse) async throws(FreshetError) {
    do throws(RedisFailure) {
      let generation = try await generation()
      let empty = SHA256Checksum(bytes: Data(count: 32))
      guard let empty,
        let variant = SharedVariant(response, digest: empty, salt: generation.salt)
      else { return }
      try await drop(variant.id, of: names.entry(response.key))
    } catch {
      throw error.error
    }
  }

  /// Removes the responses that carry the tag.
  ///
  /// - Parameter tag: One of the tags of a ``/Freshet/StoredResponse``.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the server has not confirmed it in time.
  public func removeAll(tag: String) async throws(FreshetError) {
    try await remove(.tag(tag))
  }

  /// Removes the responses of a partition whose URL begins with a prefix.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of the URL; `""` for the whole partition.
  ///   - partition: The partition; `""` by default, which does not include the others.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the server has not confirmed it in time.
  public func removeAll(prefix: String, partition: String = "") async throws(FreshetError) {
    try await remove(.prefix(prefix, partition: partition))
  }

  /// Removes everything.
  ///
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the server has not confirmed it in time.
  public func removeAll() async throws(FreshetError) {
    try await remove(.everything)
  }

  /// Removes all responses stored for the key and for those that extend it, and rejects responses that
  /// were requested before, see ``/Freshet/ResourceSource/invalidate(_:at:)``.
  ///
  /// If the server does not respond, this process finds and stores nothing until the change has been written,
  /// which it tries again and again until the store is closed. Other processes are notified then.
  ///
  /// - Parameters:
  ///   - key: The key of the URL.
  ///   - time: The time of the change at the origin, by the clock of the responses.
  public func invalidate(_ key: CacheKey, at time: Date) async {
    let removal = StoreRemoval.invalidated(key, at: StoredResponse.plausibleChange(time))
    do throws(RedisFailure) {
      try await writePending()
      try await write(removal)
    } catch {
      if pending.withLock({ $0.insert(removal) }) { retryPending() }
    }
  }

  /// Returns the time at which the key was invalidated last; the last 4,096 removals are recorded.
  ///
  /// - Parameter key: The key of the URL.
  /// - Returns: The time of the change, by the clock of the responses, or `nil` if none is recorded.
  public func invalidationTime(of key: CacheKey) async -> Date? {
    let marks = SharedMarks.changes(key).map(RedisArgument.text)
    let reply = try? await pool.send(.words([.text("HMGET"), .text(names.control)] + marks))
    let written = (reply?.elements ?? [])
      .compactMap { mark in
        mark.text?.split(separator: " ").last.flatMap { Double($0) }
      }
    let waiting = pending.withLock { pending in
      pending.removals.compactMap { removal -> Double? in
        guard case .invalidated(let changed, let time) = removal, changed.covers(key) else {
          return nil
        }
        return time.timeIntervalSince1970
      }
    }
    return (written + waiting).max().map { Date(timeIntervalSince1970: $0) }
  }

  /// The changes that could not be written.
  struct Pending: Sendable {
    var removals: [StoreRemoval] = []
    private var isRetried = false

    /// Adds a change.
    ///
    /// - Returns: A Boolean value that indicates whether the retries have to be started.
    mutating func insert(_ removal: StoreRemoval) -> Bool {
      // Too many to write one by one.
      removals = removals.count < 1_024 ? removals + [removal] : [.everything]
      defer { isRetried = true }
      return !isRetried
    }

    /// Ends the retries, unless there are further changes.
    mutating func end() -> Bool {
      isRetried = !removals.isEmpty
      return !isRetried
    }
  }

  /// Writes the changes that could not be written before.
  ///
  /// - Parameter isPatient: A Boolean value that indicates whether it waits during an outage, too.
  /// - Throws: ``RedisFailure`` if there is no reply in time.
  func writePending(isPatient: Bool = false) async throws(RedisFailure) {
    if isPatient, !pending.withLock(\.removals.isEmpty) {
      // A server that was started again has another generation, which is known once it is connected.
      _ = try await pool.send(.words([.text("PING")]), isPatient: true)
    }
    while let removal = pending.withLock(\.removals.first) {
      try await write(removal, isPatient: isPatient)
      pending.withLock { pending in
        if pending.removals.first == removal { pending.removals.removeFirst() }
      }
    }
  }

  /// Writes the changes as soon as the server responds, although nothing is looked up.
  private func retryPending() {
    Task { [weak self, pool] in
      var pause = Duration.milliseconds(50)
      while !pool.inbox.withLock(\.isStopped) {
        guard let isDone = await self?.hasWrittenPending(), !isDone else { return }
        try? await Task.sleep(for: pause)
        pause = min(pause * 2, .seconds(1))
      }
    }
  }

  private func hasWrittenPending() async -> Bool {
    try? await writePending(isPatient: true)
    return pending.withLock { $0.end() }
  }

  private func remove(_ removal: StoreRemoval) async throws(FreshetError) {
    do throws(RedisFailure) {
      try await write(removal)
    } catch {
      throw error.error
    }
  }

  private func write(
    _ removal: StoreRemoval,
    isPatient: Bool = false
  ) async throws(RedisFailure) {
    let generation = try await generation()
    let (marks, prefix) = SharedMarks.of(removal)
    // No key where there is none: a server checks the access to each, and in a cluster its node.
    var entry: [String] = []
    var time = ""
    if case .key(let key) = removal { entry = [names.entry(key)] }
    if case .invalidated(let key, let date) = removal {
      entry = [names.entry(key)]
      time = "\(date.timeIntervalSince1970)"
    }
    let words = removal.words
    let texts =
      [
        names.bodies, names.channel, generation.run, Hexadecimal.unpredictableName(),
        Hexadecimal.unpredictableName(), hearing.sender, words.kind, words.text, time,
        prefix?.list ?? "", prefix?.text ?? "",
      ] + marks
    let reply = try await pool.run(
      .remove,
      [names.control, names.log] + entry,
      texts.map(RedisArgument.text),
      isPatient: isPatient
    )
    // Its message may arrive later than the response to the change, which includes its effects.
    if let found = reply.elements, found.first?.number == 1, let number = found.last?.number {
      hearing.note(number, of: generation.name)
    }
  }
}
#endif
