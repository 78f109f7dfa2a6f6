import Foundation
import Synchronization

/// Keeps responses in memory, the most recently used ones within its limits.
///
/// - Finding something never suspends; ``peek(_:for:)`` does it without `await`.
/// - Both finding and keeping count as use. When a limit is exceeded, what was unused longest goes.
/// - Under memory pressure on Apple platforms it empties itself by half, or whole.
///
/// ```swift
/// let memory = MemoryStore(configuration: .init(costLimit: 64 << 20))
/// let logo = memory.peek(request)?.body
/// ```
public final class MemoryStore: ResourceStore {
  /// The memory, see ``Resource/Origin/memory``.
  public let origin = Resource.Origin.memory
  /// The limits.
  public let configuration: Configuration
  let entries: Mutex<MemoryEntries>
  #if canImport(Darwin)
  let pressure = MemoryPressure()
  #endif

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
  /// What the responses cost in bytes: bodies, heads and keys, estimated.
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

  /// The newest stored response for the key whose varying fields match, or `nil`.
  public func find(_ key: CacheKey, for headers: HTTPHeaders) async -> StoredResponse? {
    peek(key, for: headers)
  }
}

extension MemoryStore {
  /// Keeps a response in place of the one with the same key and the same varying fields.
  ///
  /// A key has 32 variants at most, the ones that were kept last. A body in a file is read into memory. A response that costs more than
  /// ``Configuration/entryLimit`` is not kept, and neither is the one that it replaces.
  ///
  /// - Parameter response: What to keep.
  /// - Returns: The response as it is kept, its body in memory; the same response if it is too large.
  /// - Throws: ``FreshetError/store(_:)`` if a body in a file cannot be read; the earlier copy is
  ///   untouched.
  public func keep(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    let cost = response.cost
    guard cost <= configuration.entryLimit else {
      _ = entries.withLock { $0.remove(response.key, response.varying) }
      return response
    }
    let response = try response.withBodyInMemory()
    insert(response, cost: cost)
    return response
  }

  /// Replaces the head and times of a response, the same as ``keep(_:)`` here.
  ///
  /// - Parameter response: The response with its new head and the body that was handed out.
  /// - Returns: The response as it is kept.
  /// - Throws: ``FreshetError/store(_:)`` if a body in a file cannot be read.
  public func refresh(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    try await keep(response)
  }

  private func insert(_ response: StoredResponse, cost: Int) {
    // What is evicted is released after the lock.
    let evicted = entries.withLock { entries in
      let surplus = entries.insert(response, cost: cost)
      return (
        surplus, entries.trim(cost: configuration.costLimit, count: configuration.countLimit)
      )
    }
    withExtendedLifetime(evicted) {}
  }
}
