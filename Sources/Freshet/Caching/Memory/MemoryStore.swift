public import FreshetEssentials
import Synchronization

/// A store of responses in memory, which keeps the most recently used ones within its limits.
///
/// - A lookup never suspends; ``peek(_:for:)`` needs no `await`.
/// - Both a hit and a write count as a use. When a limit is exceeded, the least recently used
///   responses are removed.
/// - Under memory pressure on Apple platforms it removes half of its contents, or all.
///
/// ```swift
/// let memory = MemoryStore { $0.costLimit = 64 << 20 }
/// let logo = memory.peek(request)?.body
/// ```
public final class MemoryStore: ResourceStore {
  /// The memory, see ``Resource/Source/memory``.
  public let source = Resource.Source.memory
  /// The limits.
  public let configuration: Configuration
  /// A Boolean value that indicates whether an error is stored beside the copy of the resource;
  /// `true`.
  public var keepsErrorsBeside: Bool { true }
  let users = StoreUsers()
  let entries: Mutex<MemoryEntries>
  let invalidations = Mutex(Invalidations())
  let removals = Mutex(Removals())
  #if canImport(Darwin)
  let pressure = MemoryPressure()
  #endif

  /// Makes an empty store; the closure changes the default limits.
  public convenience init(_ configure: (inout Configuration) -> Void) {
    var configuration = Configuration()
    configure(&configuration)
    self.init(configuration: configuration)
  }

  /// Makes an empty store.
  public init(configuration: Configuration = Configuration()) {
    self.configuration = configuration
    entries = Mutex(MemoryEntries())
    #if canImport(Darwin)
    pressure.watch { [weak self] isCritical in
      guard let self else { return }
      if isCritical { empty() } else { trim(toCost: cost / 2) }
    }
    #endif
  }

  /// The number of stored responses; each variant counts.
  public var count: Int { entries.withLock { $0.count } }
  /// The estimated size of the responses in bytes: bodies, heads, keys, and the links between them.
  public var cost: Int { entries.withLock { $0.cost } }
}

extension MemoryStore {
  /// Returns the newest stored response for the key that may answer a request with these headers.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - headers: The request's headers, which select among variants.
  /// - Returns: The response, or `nil`.
  public func peek(_ key: CacheKey, for headers: HTTPHeaders) -> StoredResponse? {
    entries.withLock { $0.use(key, for: headers) }
  }

  /// Returns the newest stored response that may answer the request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - partition: The partition of the key, which separates entries of the same URL; `""` by
  ///     default.
  /// - Returns: The response, fresh or not, or `nil`.
  public func peek(_ request: Request, partition: String = "") -> StoredResponse? {
    peek(CacheKey(request, partition: partition), for: request.headers)
  }

  /// Returns the newest stored response for the key whose varying fields match, without waiting.
  public func findNow(_ key: CacheKey, for headers: HTTPHeaders) -> ImmediateLookup {
    peek(key, for: headers).map(ImmediateLookup.copy) ?? .missing
  }

  /// Returns the newest stored response for the key whose varying fields match, or `nil`.
  public func find(_ key: CacheKey, for headers: HTTPHeaders) async -> StoredResponse? {
    peek(key, for: headers)
  }
}

extension MemoryStore {
  /// Stores a response in place of the one with the same key and the same varying fields.
  ///
  /// A key has at most 32 variants, those that were stored last. A body in a file is read into
  /// memory. A response that costs more than ``Configuration/entryLimit`` is not stored, and the
  /// one that it would replace is removed.
  ///
  /// - Parameter response: The response to store.
  /// - Returns: The response as it is stored, its body in memory.
  /// - Throws: ``FreshetError/store(_:)`` if a body in a file cannot be read, if the response is
  ///   older than the stored one, if it was requested before its key was invalidated, or by a fetch
  ///   before it was removed; the earlier copy is unchanged. The same error for one that is too
  ///   large; the earlier copy is removed in that case.
  public func keep(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    try insert(response) { _ in nil }
  }

  /// Replaces the head and times of a response whose body stays the same.
  ///
  /// - Parameter response: The response with its new head and the body that the store returned.
  /// - Returns: The response as it is stored.
  /// - Throws: ``FreshetError/store(_:)`` if that body is no longer stored, and for the reasons of
  ///   ``keep(_:)``.
  public func refresh(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    try read(response)
    return try insert(response) { stored in
      guard let stored else { return StoreFailure.Reason.bodyRemoved }
      return (try? stored.hasSameBody(as: response)) == true
        ? nil : StoreFailure.Reason.bodyReplaced
    }
  }

  /// Reads a file before the lock is taken, if its digest is unknown.
  private func read(_ response: StoredResponse) throws(FreshetError) {
    if case .bytes = response.body.storage { return }
    do throws(FreshetError) {
      _ = try response.sha256()
    } catch {
      throw error.store("the body could not be read")
    }
  }

  /// Stores a response, unless the closure returns a reason against it for the stored variant.
  private func insert(
    _ response: StoredResponse,
    unless objection: (StoredResponse?) -> StoreFailure.Reason?
  ) throws(FreshetError) -> StoredResponse {
    let cost = response.memoryCost
    let isTooLarge = cost > configuration.entryLimit
    var response = isTooLarge ? response : try response.withBodyInMemory()
    // The copy beside it is an entry of its own.
    if response.beside != nil { response = response.with(beside: nil) }
    // Evicted responses are released after the lock.
    var released: [StoredResponse] = []
    let late: StoreFailure.Reason? = entries.withLock { [response] entries in
      // Asked under this lock: an invalidation, or a removal, is recorded first, and removes the
      // responses that it concerns after that.
      if invalidations.withLock({ $0.concern(response) }) { return .invalidated }
      if removals.withLock({ $0.concern(response) }) { return .removed }
      let stored = entries.variant(of: response)
      if stored?.outranks(response) == true { return .older }
      if response.isRefusal, entries.hasNewerCopy(than: response) { return .older }
      if let late = objection(stored) { return late }
      if isTooLarge {
        if let stored = entries.remove(variantOf: response) { released = [stored] }
      } else {
        let surplus = entries.insert(response, cost: cost)
        released = entries.trim(cost: configuration.costLimit, count: configuration.countLimit)
        if let surplus { released.append(surplus) }
        if !response.isRefusal { released += entries.removeErrors(endedBy: response) }
      }
      return nil
    }
    withExtendedLifetime(released) {}
    if let late { throw late.error }
    if isTooLarge { throw StoreFailure.Reason.tooLarge.error }
    return response
  }
}

extension MemoryStore {
  /// Removes all responses stored for the key and for those that extend it, and rejects responses
  /// that were requested before, see ``ResourceSource/invalidate(_:at:)``.
  ///
  /// - Parameters:
  ///   - key: The key of the URL.
  ///   - time: The time of the change at the origin, by the clock of the responses.
  public func invalidate(_ key: CacheKey, at time: Date) async {
    invalidations.withLock { $0.note(key, ChangeMark(time, heard: .now)) }
    let removed = entries.withLock { $0.remove(key) }
    _ = consume removed
  }

  /// Returns the time at which the key was invalidated last; the last 4,096 invalidations are
  /// recorded.
  ///
  /// - Parameter key: The key of the URL.
  /// - Returns: The time of the change, by the clock of the responses, or `nil` if none is recorded.
  public func invalidationTime(of key: CacheKey) async -> Date? {
    invalidations.withLock { $0.time(of: key) }
  }
}
