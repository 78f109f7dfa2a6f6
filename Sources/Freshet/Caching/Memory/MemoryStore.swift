public import Foundation
import Synchronization

/// Keeps responses in memory, the most recently used ones within its limits.
///
/// - Finding something never suspends; ``peek(_:for:)`` does it without `await`.
/// - Both finding and keeping count as use. When a limit is exceeded, what was unused longest goes.
/// - Under memory pressure on Apple platforms it empties itself by half, or whole.
///
/// ```swift
/// let memory = MemoryStore { $0.costLimit = 64 << 20 }
/// let logo = memory.peek(request)?.body
/// ```
public final class MemoryStore: ResourceStore {
  /// The memory, see ``Resource/Origin/memory``.
  public let origin = Resource.Origin.memory
  /// The limits.
  public let configuration: Configuration
  /// An error is kept beside the copy of the resource.
  public var keepsErrorsBeside: Bool { true }
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
    pressure.watch(self)
    #endif
  }

  /// How many responses are kept; each variant counts.
  public var count: Int { entries.withLock { $0.count } }
  /// What the responses take in bytes, estimated: bodies, heads, keys, and what holds them together.
  public var cost: Int { entries.withLock { $0.cost } }
}

extension MemoryStore {
  /// The newest stored response for the key that may answer a request with these headers.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - headers: The request's headers, which choose among variants.
  /// - Returns: The response, or `nil`.
  public func peek(_ key: CacheKey, for headers: HTTPHeaders) -> StoredResponse? {
    entries.withLock { $0.use(key, for: headers) }
  }

  /// The newest stored response that may answer the request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - partition: What separates entries of the same URL; `""` by default.
  /// - Returns: The response, fresh or not, or `nil`.
  public func peek(_ request: Request, partition: String = "") -> StoredResponse? {
    peek(CacheKey(request, partition: partition), for: request.headers)
  }

  /// The newest stored response for the key whose varying fields match, without waiting.
  public func findNow(_ key: CacheKey, for headers: HTTPHeaders) -> ImmediateLookup {
    peek(key, for: headers).map(ImmediateLookup.copy) ?? .missing
  }

  /// The newest stored response for the key whose varying fields match, or `nil`.
  public func find(_ key: CacheKey, for headers: HTTPHeaders) async -> StoredResponse? {
    peek(key, for: headers)
  }
}

extension MemoryStore {
  /// Keeps a response in place of the one with the same key and the same varying fields.
  ///
  /// A key has 32 variants at most, the ones that were kept last. A body in a file is read into memory.
  /// A response that costs more than ``Configuration/entryLimit`` is not kept, and neither is the one
  /// that it would replace.
  ///
  /// - Parameter response: What to keep.
  /// - Returns: The response as it is kept, its body in memory.
  /// - Throws: ``FreshetError/store(_:)`` if a body in a file cannot be read, if the response is older
  ///   than the stored one, if it was asked for before its key was invalidated, or by a fetch before it
  ///   was removed; the earlier copy is untouched. The same error for one that is too large; the earlier
  ///   copy is removed then.
  public func keep(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    try insert(response) { _ in nil }
  }

  /// Replaces the head and times of a response whose body stays as it is.
  ///
  /// - Parameter response: The response with its new head and the body that was handed out.
  /// - Returns: The response as it is kept.
  /// - Throws: ``FreshetError/store(_:)`` if that body is not stored any more, and as ``keep(_:)``.
  public func refresh(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    try read(response)
    return try insert(response) { stored in
      guard let stored else { return Late.removed }
      return (try? stored.hasSameBody(as: response)) == true ? nil : Late.replaced
    }
  }

  /// Reads a file before the lock, if its digest is not known.
  private func read(_ response: StoredResponse) throws(FreshetError) {
    if case .bytes = response.body.storage { return }
    do throws(FreshetError) {
      _ = try response.sha256()
    } catch {
      throw error.store("the body could not be read")
    }
  }

  /// Keeps a response unless the stored variant has something against it.
  private func insert(
    _ response: StoredResponse,
    unless objection: (StoredResponse?) -> Late?
  ) throws(FreshetError) -> StoredResponse {
    let cost = response.memoryCost
    let isTooLarge = cost > configuration.entryLimit
    var response = isTooLarge ? response : try response.withBodyInMemory()
    // What is beside it is an entry of its own.
    if response.beside != nil { response = response.with(beside: nil) }
    // What is evicted is released after the lock.
    var released: [StoredResponse] = []
    let late: Late? = entries.withLock { [response] entries in
      // Asked under this lock: whoever notes an invalidation, or a removal, removes what it concerns
      // after that.
      if invalidations.withLock({ $0.concern(response) }) { return .invalidated }
      if removals.withLock({ $0.concern(response) }) { return .cleared }
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
    if isTooLarge { throw .tooLargeForStore }
    return response
  }
}

extension MemoryStore {
  /// Removes all responses stored for the key and for those that extend it, and keeps none that was
  /// asked for before, see ``ResourceSource/invalidate(_:at:)``.
  ///
  /// - Parameters:
  ///   - key: The key of the URL.
  ///   - time: When it changed at the origin, by the clock of the responses.
  public func invalidate(_ key: CacheKey, at time: Date) async {
    invalidations.withLock { $0.note(key, ChangeMark(time, heard: .now)) }
    let removed = entries.withLock { $0.remove(key) }
    _ = consume removed
  }

  /// When the key was invalidated last, as far as that is remembered.
  ///
  /// - Parameter key: The key.
  /// - Returns: The time, of the last 4,096 invalidations.
  public func invalidationTime(of key: CacheKey) async -> Date? {
    invalidations.withLock { $0.time(of: key) }
  }
}
