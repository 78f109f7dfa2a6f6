import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

#if Redis && !canImport(Darwin)
import FreshetRedis
#endif

/// The stores, against a dictionary of what was kept last.
@Suite struct StorePropertyTests {
  enum Operation: Sendable {
    case keep(key: Int, variant: Int, size: Int)
    case keepOlder(key: Int, variant: Int)
    case keepCancelled(key: Int, variant: Int, size: Int)
    case refresh(key: Int, variant: Int)
    case remove(key: Int)
    case invalidate(key: Int)
    case find(key: Int, variant: Int)
    case reopen

    static func random(_ generator: inout SeededGenerator) -> Operation {
      let key = Int.random(in: 0..<4, using: &generator)
      let variant = Int.random(in: 0..<2, using: &generator)
      // In the database, at its border, and in a file.
      let sizes = [0, 1, 900, 16 << 10, 17 << 10, 40 << 10]
      let size = sizes.randomElement(using: &generator) ?? 1
      switch Int.random(in: 0..<16, using: &generator) {
      case 0..<5: return .keep(key: key, variant: variant, size: size)
      case 5: return .keepOlder(key: key, variant: variant)
      case 6: return .keepCancelled(key: key, variant: variant, size: size)
      case 7: return .refresh(key: key, variant: variant)
      case 8: return .remove(key: key)
      case 9: return .invalidate(key: key)
      case 10: return .reopen
      default: return .find(key: key, variant: variant)
      }
    }
  }

  @Test func `the memory has the last stored response and no removed one`() async {
    let property = Property(runs: 60, length: 50, operation: Operation.random) { operations in
      let store = MemoryStore()
      return await StoreModel(store) { $0 }.problem(operations)
    }

    if let failure = await property.failure() { Issue.record("\(failure)") }
  }

  @Test func `a memory that is too small has only last stored responses`() async {
    let property = Property(runs: 60, length: 50, operation: Operation.random) { operations in
      let configuration = MemoryStore.Configuration(costLimit: 60 << 10)
      let store = MemoryStore(configuration: configuration)
      let problem = await StoreModel(store, mayForget: true) { $0 }.problem(operations)
      return problem ?? (store.cost <= 60 << 10 ? nil : "it costs \(store.cost)")
    }

    if let failure = await property.failure() { Issue.record("\(failure)") }
  }

  @Test(.timeLimit(.minutes(5)))
  func `the disk has the last stored response, after reopening too, and no removed one`() async {
    let property = Property(runs: 6, length: 30, operation: Operation.random) { operations in
      let sandbox = StoreSandbox()
      let directory = sandbox.url.appendingPathComponent("store")
      let open = { @Sendable in DiskStore(directory: directory) }
      let problem = await StoreModel(open()) { _ in open() }.problem(operations)
      withExtendedLifetime(sandbox) {}
      return problem
    }

    if let failure = await property.failure() { Issue.record("\(failure)") }
  }

  #if Redis && !canImport(Darwin)
  @Test(
    .enabled(if: RedisServer.executable != nil, "redis-server is not installed"),
    .timeLimit(.minutes(5))
  )
  func `a shared store has what was kept last, by any process, and nothing that was removed`()
    async throws
  {
    let server = try await RedisServer()
    let property = Property(runs: 20, length: 40, operation: Operation.random) { operations in
      let prefix = UUID().uuidString
      let open = { @Sendable () throws(FreshetError) in
        try SharedStore(server.url) {
          $0.timeout = .seconds(60)
          $0.connectTimeout = .seconds(60)
          $0.prefix = prefix
        }
      }
      guard let first = try? open() else { return "no store" }
      return await StoreModel(first) { (try? open()) ?? $0 }.problem(operations)
    }

    if let failure = await property.failure() { Issue.record("\(failure)") }
  }
  #endif
}

/// What a store must have after some operations.
struct StoreModel {
  private struct Known {
    var bytes: Data
    var time: Double
  }

  private var store: any ResourceStore
  private let reopen: (any ResourceStore) -> any ResourceStore
  private let mayForget: Bool
  private var known: [String: Known] = [:]
  private var time = 10_000.0

  init(
    _ store: any ResourceStore,
    mayForget: Bool = false,
    reopen: @escaping (any ResourceStore) -> any ResourceStore
  ) {
    self.store = store
    self.mayForget = mayForget
    self.reopen = reopen
  }

  func problem(_ operations: [StorePropertyTests.Operation]) async -> String? {
    var model = self
    for (index, operation) in operations.enumerated() {
      do {
        if let problem = try await model.apply(operation, index) { return problem }
      } catch {
        return "\(operation) failed: \(error)"
      }
    }
    for key in 0..<4 {
      for variant in 0..<2 {
        if let problem = await model.find(key, variant) { return problem }
      }
    }
    return nil
  }

  private mutating func apply(
    _ operation: StorePropertyTests.Operation,
    _ index: Int
  ) async throws -> String? {
    // Transfers follow one another; each begins a second before it ends.
    time += 10
    switch operation {
    case .keep(let key, let variant, let size):
      let bytes = noise(size, seed: UInt64(index + 1))
      try await keep(key, variant, bytes)
    case .keepOlder(let key, let variant):
      return await keepOlder(key, variant)
    case .keepCancelled(let key, let variant, let size):
      try await keepCancelled(key, variant, noise(size, seed: UInt64(index + 1)))
    case .refresh(let key, let variant):
      return try await refresh(key, variant)
    case .remove(let key):
      try await store.remove(self.key(key))
      forget(key)
    case .invalidate(let key):
      await store.invalidate(try self.key(key), at: date(time))
      forget(key)
    case .find(let key, let variant):
      return await find(key, variant)
    case .reopen:
      store = reopen(store)
    }
    return nil
  }

  /// What is too large for the store takes with it what it would have replaced.
  private mutating func keep(_ key: Int, _ variant: Int, _ bytes: Data) async throws {
    do throws(FreshetError) {
      _ = try await store.keep(response(key, variant, bytes, time))
      known[name(key, variant)] = Known(bytes: bytes, time: time)
    } catch {
      guard mayForget, error.storeFailure?.reason == .tooLarge else { throw error }
      known[name(key, variant)] = nil
    }
  }

  /// What was received earlier never takes the place of what is there.
  private mutating func keepOlder(_ key: Int, _ variant: Int) async -> String? {
    guard let old = known[name(key, variant)] else { return nil }
    let late = try? response(key, variant, Data("old".utf8), old.time - 5)
    guard let late else { return nil }
    if (try? await store.keep(late)) != nil {
      // One that has forgotten the newer copy may have it.
      guard mayForget else { return "an older one took the place of \(name(key, variant))" }
      known[name(key, variant)] = Known(bytes: Data("old".utf8), time: old.time - 5)
    }
    return await find(key, variant)
  }

  /// It is kept, or it is not; what was there before is not lost by it.
  private mutating func keepCancelled(_ key: Int, _ variant: Int, _ bytes: Data) async throws {
    let response = try response(key, variant, bytes, time)
    let task = Task { [store] in try await store.keep(response) }
    task.cancel()
    let isKept = (try? await task.value) != nil
    // What was begun before it was cancelled has been done when this is.
    try await store.remove(try CacheKey.sample("https://a.example/nobody"))
    let found = await store.find(try self.key(key), for: request(variant))
    let isThere = found?.responseTime == date(time)
    if isKept || isThere { known[name(key, variant)] = Known(bytes: bytes, time: time) }
  }

  private mutating func refresh(_ key: Int, _ variant: Int) async throws -> String? {
    guard let old = known[name(key, variant)] else {
      let missing = try response(key, variant, Data("x".utf8), time)
      return (try? await store.refresh(missing)) == nil ? nil : "what is not there was refreshed"
    }
    do throws(FreshetError) {
      _ = try await store.refresh(try response(key, variant, old.bytes, time))
      known[name(key, variant)]?.time = time
    } catch {
      return mayForget ? nil : "it was not refreshed: \(error)"
    }
    return nil
  }

  private func find(_ key: Int, _ variant: Int) async -> String? {
    guard let wanted = try? self.key(key) else { return "no key" }
    let found = await store.find(wanted, for: request(variant))
    guard let known = known[name(key, variant)] else {
      return found == nil ? nil : "\(name(key, variant)) was removed, and is there"
    }
    guard let found else { return mayForget ? nil : "\(name(key, variant)) is not there" }
    guard let bytes = try? found.body.data(), bytes.elementsEqual(known.bytes) else {
      return "\(name(key, variant)) has other bytes"
    }
    return found.responseTime == date(known.time) ? nil : "\(name(key, variant)) has another time"
  }

  private mutating func forget(_ key: Int) {
    for variant in 0..<2 { known[name(key, variant)] = nil }
  }

  // MARK: - Names

  /// Every second key has variants.
  private func name(_ key: Int, _ variant: Int) -> String {
    key % 2 == 0 ? "\(key)" : "\(key)/\(variant)"
  }

  private func date(_ time: Double) -> Date { Date(timeIntervalSinceReferenceDate: time) }

  private func request(_ variant: Int) -> HTTPHeaders { ["Accept": "type/\(variant)"] }

  private func key(_ key: Int) throws -> CacheKey { try .sample("https://a.example/\(key)") }

  private func response(
    _ key: Int,
    _ variant: Int,
    _ bytes: Data,
    _ time: Double
  ) throws(FreshetError) -> StoredResponse {
    let headers: HTTPHeaders = key % 2 == 0 ? [.eTag: "\"1\""] : [.eTag: "\"1\"", .vary: "Accept"]
    let wanted = try Request(.get, "https://a.example/\(key)")
    return StoredResponse(
      key: CacheKey(wanted),
      varying: VaryingFields(response: headers, request: request(variant)),
      head: ResponseHead(status: .ok, headers: headers, url: wanted.url),
      body: ResourceBody(bytes),
      requestTime: date(time - 1),
      responseTime: date(time)
    )
  }
}
