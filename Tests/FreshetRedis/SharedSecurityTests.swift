#if Redis && !canImport(Darwin)
import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet
@testable import FreshetRedis

/// Connections to a server with TLS, whose authority a test makes.
@Suite(
  .besideRedis,
  .enabled(if: Program.path("openssl") != nil, "openssl is not installed"),
  .timeLimit(.minutes(3))
) struct SharedSecurityTests {
  /// A server with a certificate for `localhost`, and the port of its TLS.
  private struct SecureWorld {
    let folder: TemporaryDirectory
    let server: RedisServer
    let port: UInt16

    init() async throws {
      folder = try TemporaryDirectory()
      try await Self.issue("ca", [], in: folder.url)
      try await Self.issue("other", [], in: folder.url)
      let signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-addext", "subjectAltName=DNS:localhost"]
      try await Self.issue("server", signed, in: folder.url)
      port = try FreePorts.take(1)[0]
      server = try await RedisServer(options: [
        "--tls-port", "\(port)", "--tls-cert-file", folder.file("server.pem").path,
        "--tls-key-file", folder.file("server.key").path, "--tls-ca-cert-file",
        folder.file("ca.pem").path, "--tls-auth-clients", "no",
      ])
    }

    private static func issue(_ name: String, _ words: [String], in folder: URL) async throws {
      let run = try await ProgramRun(
        Program.path("openssl") ?? "openssl",
        [
          "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
          "-keyout", "\(name).key", "-out", "\(name).pem", "-days", "2", "-subj", "/CN=\(name)",
        ]
          + words.map { ["ca.pem", "ca.key"].contains($0) ? folder.appending(path: $0).path : $0 },
        in: folder
      )
      try #require(run.status == 0, "\(run.error)")
    }

    func store(_ host: String = "localhost", trusting name: String? = "ca") throws -> SharedStore {
      try SharedStore("rediss://\(host):\(port)") {
        $0.timeout = .seconds(20)
        $0.connectTimeout = .seconds(20)
        $0.trustFile = name.map { folder.file("\($0).pem").path }
      }
    }
  }

  @Test func `the password is not shown by a server that knows no logins`() {
    let answer = "ERR unknown command 'AUTH', with args beginning with: 'app' 'hunter2' "

    #expect(!RedisFailure(refusedConnection: answer).reason.contains("hunter2"))
    #expect(RedisFailure(refusedConnection: answer).reason.contains("unknown command 'AUTH'"))
  }

  @Test func `stores and finds over TLS, and hears removals`() async throws {
    let world = try await SecureWorld()
    let (first, second) = (try world.store(), try world.store())
    try await first.connect()
    var removals = second.removals.makeAsyncIterator()
    let response = try StoredResponse.sample(body: noise(700_000), tags: ["t"])

    _ = try await first.keep(response)
    let found = await second.find(response.key, for: [:])
    #expect(try found?.body.data() == noise(700_000))
    #expect(
      try await eventually {
        try await world.server.command("PUBSUB", "NUMSUB", "freshet:0:removals").hasSuffix("1")
      }
    )
    try await first.removeAll(tag: "t")

    #expect(await removals.next() == .tag("t"))
    #expect(await second.find(response.key, for: [:]) == nil)
  }

  /// Uses a store until it says why it has no connection.
  private func expectRefusal(_ store: SharedStore) async throws {
    let key = CacheKey(try Request("https://a.example/"))
    #expect(
      try await eventually {
        _ = await store.find(key, for: [:])
        return store.outage?.contains("certificate") == true
      }
    )
    await #expect(throws: FreshetError.self) { try await store.keep(.sample()) }
  }

  @Test func `trusts no other authority`() async throws {
    let world = try await SecureWorld()
    try await expectRefusal(world.store(trusting: "other"))
    try await expectRefusal(world.store(trusting: nil))
  }

  @Test func `refuses a certificate for another name`() async throws {
    let world = try await SecureWorld()
    try await expectRefusal(world.store("127.0.0.1"))
  }
}
#endif
