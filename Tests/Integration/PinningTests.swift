import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@Suite(.enabled(if: Nginx.isInstalled, "nginx and openssl are not installed"), .besideNginx)
struct PinningTests {
  let nginx: Nginx

  init() throws {
    nginx = try #require(Nginx.current)
    try nginx.write("small.txt", Data("hello".utf8))
  }

  private func certificate(_ name: String) throws -> Data {
    let text = try String(
      contentsOf: nginx.folder.url.appending(path: "\(name).pem"),
      encoding: .utf8
    )
    return try #require(ServerPins.certificates(inPEM: text).first)
  }

  private func key(_ name: String) throws -> SHA256Checksum {
    try #require(ServerPins.key(of: try certificate(name)))
  }

  private func transport(
    _ pins: ServerPins,
    trust: CurlTransport.Trust? = nil
  ) -> CurlTransport {
    let trust = trust ?? .file(nginx.authority.certificate)
    return CurlTransport {
      $0.trust = trust
      $0.pins["localhost"] = pins
    }
  }

  private func metrics(_ url: URL, over transport: CurlTransport) async throws -> TransferMetrics {
    let client = Client {
      $0.transport = transport
      $0.memory = nil
    }
    return try #require(try await client.resource(at: url).value.metrics)
  }

  private func error(_ url: URL, over transport: CurlTransport) async throws -> FreshetError {
    try #require(
      await #expect(throws: FreshetError.self) { try await metrics(url, over: transport) }
    )
  }

  @Test func `accepts a server with one of the pinned keys, on a kept connection too`()
    async throws
  {
    let transport = transport(ServerPins(keys: [try key("other"), try key("server")]))

    let first = try await metrics(nginx.https("/small.txt"), over: transport)
    let second = try await metrics(nginx.https("/small.txt"), over: transport)

    #expect(!first.reusedConnection && second.reusedConnection)
    #expect(first.networkProtocol == "h2")
  }

  @Test func `sends nothing to a server with another key, however often it is called`()
    async throws
  {
    let transport = transport(ServerPins(keys: [try key("other")]))

    for _ in 0..<2 {
      let error = try await error(nginx.https("/wrong-key"), over: transport)
      #expect(error.kind == "insecure")
    }

    let log = try String(
      contentsOf: nginx.folder.url.appending(path: "access.log"),
      encoding: .utf8
    )
    #expect(!log.contains("/wrong-key"))
  }

  @Test(arguments: ["server", "ca"])
  func `a pinned certificate replaces the authorities`(name: String) async throws {
    let pins = ServerPins(certificates: [try certificate(name)])

    let metrics = try await metrics(
      nginx.https("/small.txt"),
      over: transport(pins, trust: .system)
    )

    #expect(metrics.tls != nil)
  }

  @Test func `a trusted authority does not replace a pinned certificate`() async throws {
    let pins = ServerPins(certificates: [try certificate("other")])

    let error = try await error(nginx.https("/small.txt"), over: transport(pins))

    #expect(error.kind == "insecure")
  }

  @Test func `pins do not replace the checks of host name and dates`() async throws {
    for (name, url) in [("other", nginx.wrongHost("/")), ("expired", nginx.expired("/"))] {
      let pins = ServerPins(keys: [try key(name)], certificates: [try certificate(name)])
      #expect(try await error(url, over: transport(pins)).kind == "insecure")
    }
  }

  @Test func `a host without pins is not affected by the pins of others`()
    async throws
  {
    let (pinned, authority) = (try key("other"), nginx.authority.certificate)
    let transport = CurlTransport {
      $0.trust = .file(authority)
      $0.pins["pinned.invalid"] = ServerPins(keys: [pinned])
      $0.addresses["pinned.invalid:\(nginx.https("/").port ?? 0)"] = "127.0.0.1"
    }
    let url = nginx.https("/small.txt")
    let other = try #require(
      URL(string: url.absoluteString.replacing("localhost", with: "pinned.invalid"))
    )

    #expect(try await error(other, over: transport).kind == "insecure")
    #expect(try await metrics(url, over: transport).bytesReceived == 5)
  }

  @Test func `a key's digest equals that of openssl`() async throws {
    let printed = try await ProgramRun(
      "/bin/sh",
      [
        "-c",
        "openssl x509 -in server.pem -noout -pubkey | openssl pkey -pubin -outform der"
          + " | openssl dgst -sha256 -binary | base64",
      ],
      in: nginx.folder.url
    )

    #expect(SHA256Checksum(base64: printed.lines.first ?? "") == (try key("server")))
  }
}
