#if Redis && !canImport(Darwin)
import Foundation
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import Freshet
@testable import FreshetRedis

/// A server of a test's own, and stores in it.
struct SharedWorld: Sendable {
  static var isInstalled: Bool { RedisServer.executable != nil }

  let server: RedisServer

  init(_ options: [String] = []) async throws {
    server = try await RedisServer(options: options)
  }

  /// A store that waits longer than usual, because other tests use the processors too.
  func store(
    _ configure: (inout SharedStore.Configuration) -> Void = { _ in }
  ) throws -> SharedStore {
    try SharedStore(server.url) {
      $0.timeout = .seconds(60)
      $0.connectTimeout = .seconds(60)
      configure(&$0)
    }
  }

  /// A store that has connected, so that it has a position in the order of removals.
  func connected(
    _ configure: (inout SharedStore.Configuration) -> Void = { _ in }
  ) async throws -> SharedStore {
    let store = try store(configure)
    try await store.connect()
    return store
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips the tests where there is no server.
  static var besideRedis: Self {
    .enabled(if: SharedWorld.isInstalled, "redis-server is not installed")
  }
}

extension StoredResponse {
  /// A response as a test needs it.
  static func sample(
    _ url: String = "https://example.org/logo.png",
    body: Data = Data("water".utf8),
    status: HTTPStatus = .ok,
    headers: HTTPHeaders = [.eTag: "\"1\"", .cacheControl: "max-age=60"],
    request: HTTPHeaders = [:],
    partition: String = "",
    time: Date = Date(),
    tags: Set<String> = []
  ) throws -> StoredResponse {
    let wanted = try Request(.get, url)
    return StoredResponse(
      key: CacheKey(wanted, partition: partition),
      varying: VaryingFields(response: headers, request: request),
      head: ResponseHead(status: status, headers: headers, url: wanted.url),
      body: ResourceBody(body),
      requestTime: time.addingTimeInterval(-1),
      responseTime: time,
      tags: tags
    )
  }
}

extension Resource {
  /// The body as text.
  var text: String {
    get throws { String(decoding: try data(), as: UTF8.self) }
  }
}

extension SharedStore {
  /// The number of commands that had no reply in time.
  var lateCount: Int { pool.inbox.withLock(\.lateCount) }
}

extension ScriptedResponse {
  /// A response with a version as its validator: 304 to a request that names it.
  static func versioned(
    _ version: Int,
    _ control: String,
    body: String,
    to request: Request
  ) -> ScriptedResponse {
    let headers: HTTPHeaders = [
      .cacheControl: control, .eTag: "\"\(version)\"", .date: HTTPDate.format(Date()),
    ]
    return request.headers[.ifNoneMatch] == headers[.eTag]
      ? ScriptedResponse(.notModified, headers: headers)
      : ScriptedResponse(.ok, headers: headers, body: Data(body.utf8))
  }
}

/// Bytes that differ by seed.
func noise(_ count: Int, seed: UInt64 = 1) -> Data {
  var generator = SeededGenerator(seed: seed)
  return Data((0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
}
#endif
