import Foundation
import Freshet
import FreshetTesting
import Synchronization
import TestSupport
import Testing

/// Servers that the app decides about, and clients that prove who they are by the host.
@Suite(.enabled(if: Nginx.isInstalled, "nginx and openssl are not installed"), .besideNginx)
struct TrustTests {
  let nginx: Nginx
  private let asked = Asked()

  init() throws {
    nginx = try #require(Nginx.current)
    try nginx.write("small.txt", Data("hello".utf8))
  }

  private final class Asked: Sendable {
    private let servers = Mutex<[ServerTrust]>([])

    var all: [ServerTrust] { servers.withLock { $0 } }
    func add(_ server: ServerTrust) { servers.withLock { $0.append(server) } }
  }

  private func certificate(_ name: String) throws -> Data {
    let file = nginx.folder.url.appending(path: "\(name).pem")
    let text = try String(contentsOf: file, encoding: .utf8)
    return try #require(ServerPins.certificates(inPEM: text).first)
  }

  private func transport(
    accepts: Bool,
    trust: CurlTransport.Trust = .system,
    pins: ServerPins? = nil
  ) -> CurlTransport {
    let asked = asked
    return CurlTransport {
      $0.trust = trust
      $0.pins["localhost"] = pins
      $0.decideTrust = { server in
        asked.add(server)
        return accepts
      }
    }
  }

  private func text(_ url: URL, over transport: CurlTransport) async throws -> String {
    let response = try await Client { $0.transport = transport }.send(Request(url)).value
    return String(decoding: response.value, as: UTF8.self)
  }

  private func refusal(_ url: URL, over transport: CurlTransport) async throws -> String? {
    let error = await #expect(throws: FreshetError.self) { try await text(url, over: transport) }
    return error?.kind
  }

  @Test func `asks with the chain of a trusted server, once for each connection`()
    async throws
  {
    let transport = transport(accepts: true, trust: .file(nginx.authority.certificate))

    for _ in 0..<2 {
      #expect(try await text(nginx.https("/small.txt"), over: transport) == "hello")
    }

    let server = try #require(asked.all.first)
    #expect(asked.all.count == 1)
    #expect(server.host == "localhost" && server.problem == nil)
    #expect(server.certificates == [try certificate("server")])
    #expect(server.key == ServerPins.key(of: try certificate("server")))
  }

  @Test func `asks again for each connection, despite sessions of TLS`() async throws {
    let (asked, authority) = (asked, nginx.authority.certificate)
    let transport = CurlTransport {
      $0.trust = .file(authority)
      $0.networkProtocol = .http1
      $0.decideTrust = { server in
        asked.add(server)
        return true
      }
    }
    let client = Client { $0.transport = transport }
    var request = Request(nginx.https("/small.txt"))
    request.headers[.connection] = "close"

    for _ in 0..<3 { _ = try await client.send(request).value }

    #expect(asked.all.count == 3)
  }

  @Test func `a refusal is an error, and nothing is sent`() async throws {
    let transport = transport(accepts: false, trust: .file(nginx.authority.certificate))

    for _ in 0..<2 {
      #expect(try await refusal(nginx.https("/refused-server"), over: transport) == "insecure")
    }

    #expect(asked.all.count == 2)
    let log = nginx.folder.url.appending(path: "access.log")
    #expect(!(try String(contentsOf: log, encoding: .utf8)).contains("/refused-server"))
  }

  @Test func `a server of an unknown authority can be accepted, by each transport for itself`()
    async throws
  {
    let accepting = transport(accepts: true)

    #expect(try await text(nginx.https("/small.txt"), over: accepting) == "hello")
    #expect(asked.all.count == 1 && asked.all.first?.problem != nil)
    #expect(
      try await refusal(nginx.https("/small.txt"), over: transport(accepts: false)) == "insecure"
    )
  }

  @Test func `an acceptance does not replace the checks of host name and dates`() async throws {
    for url in [nginx.wrongHost("/"), nginx.expired("/")] {
      #expect(try await refusal(url, over: transport(accepts: true)) == "insecure")
    }
  }

  @Test func `an acceptance does not excuse a weak key or digest, whoever has signed it`()
    async throws
  {
    for url in [nginx.weakKey("/"), nginx.weakDigest("/")] {
      let trusting = transport(accepts: true, trust: .file(nginx.authority.certificate))
      #expect(try await refusal(url, over: trusting) == "insecure")
    }
    #expect(asked.all.count == 2 && asked.all.allSatisfy { $0.problem != nil })
    let stranger = transport(accepts: true)
    #expect(try await refusal(nginx.weakKey("/"), over: stranger) == "insecure")
  }

  @Test func `an acceptance does not replace pins`() async throws {
    let other = try #require(ServerPins.key(of: try certificate("other")))
    for pins in [
      ServerPins(keys: [other]), ServerPins(certificates: [try certificate("other")]),
    ] {
      let transport = transport(accepts: true, pins: pins)
      #expect(try await refusal(nginx.https("/small.txt"), over: transport) == "insecure")
    }
  }

  @Test func `a client's certificate is shown to its host only`() async throws {
    let (authority, (certificate, key)) = (nginx.authority.certificate, nginx.identity())
    let ann = CurlTransport.Identity(certificate: certificate, key: key)
    for (host, isShown) in [("LocalHost.", true), ("elsewhere.test", false)] {
      let transport = CurlTransport {
        $0.trust = .file(authority)
        $0.identities[host] = ann
      }
      let answer = try await text(nginx.clients("/certificate"), over: transport)
      #expect(answer.contains(isShown ? "CN=ann" : "No required SSL certificate"))
    }
  }

  @Test func `the certificate of a host replaces the transport's own`() async throws {
    let (authority, (certificate, key)) = (nginx.authority.certificate, nginx.identity())
    let missing = nginx.folder.url.appending(path: "none.pem")
    let transport = CurlTransport {
      $0.trust = .file(authority)
      $0.identity = CurlTransport.Identity(certificate: missing, key: missing)
      $0.identities["localhost"] = CurlTransport.Identity(certificate: certificate, key: key)
    }

    #expect(try await text(nginx.clients("/certificate"), over: transport).contains("CN=ann"))
  }
}
