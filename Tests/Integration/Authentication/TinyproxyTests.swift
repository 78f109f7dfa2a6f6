import Foundation
import Freshet
import Synchronization
import Testing

/// The authentication at a proxy that somebody else has written, in clear and for tunnels.
@Suite(
  .enabled(if: Nginx.isInstalled, "nginx and openssl are not installed"),
  .enabled(if: Tinyproxy.executable != nil, "tinyproxy is not installed"),
  .besideNginx
)
struct TinyproxyTests {
  let nginx: Nginx

  init() throws {
    nginx = try #require(Nginx.current)
    try nginx.write("small.txt", Data("hello".utf8))
  }

  private func transport(_ proxy: Tinyproxy) -> CurlTransport {
    let (url, authority) = (proxy.url, nginx.authority.certificate)
    return CurlTransport {
      $0.proxy = .url(url)
      $0.trust = .file(authority)
    }
  }

  private func status(_ url: URL, over transport: some Transport) async throws -> HTTPStatus {
    try await Client { $0.transport = transport }.send(Request(url)).value.status
  }

  @Test func `a login is sent to the proxy, in clear and for a tunnel`() async throws {
    let proxy = try await Tinyproxy()
    let login = Authenticator(proxy: .login(user: "ann", password: "sesame"))
    let transport = transport(proxy).authenticated(by: login)

    for url in [nginx.http("/small.txt"), nginx.https("/small.txt")] {
      #expect(try await status(url, over: transport) == 200)
      #expect(try await status(url, over: transport) == 200)
    }
  }

  @Test func `asks when a tunnel is refused, with the scheme`() async throws {
    let proxy = try await Tinyproxy()
    let asked = Mutex(0)
    let authenticator = Authenticator(proxy: nil) { question in
      asked.withLock { $0 += 1 }
      #expect(question.isProxy)
      #expect(question.challenges == [Challenge(scheme: "basic")])
      return .basic(user: "ann", password: "sesame")
    }
    let transport = transport(proxy).authenticated(by: authenticator)

    #expect(try await status(nginx.https("/small.txt"), over: transport) == 200)
    #expect(try await status(nginx.http("/small.txt"), over: transport) == 200)
    #expect(asked.withLock { $0 } == 1)
  }

  @Test func `a wrong password is delivered, for a tunnel as a 407`() async throws {
    let proxy = try await Tinyproxy()
    let wrong = Authenticator(proxy: .login(user: "ann", password: "wrong"))
    let transport = transport(proxy).authenticated(by: wrong)

    // Tinyproxy calls a wrong password 401.
    #expect(try await status(nginx.http("/small.txt"), over: transport) == 401)
    #expect(try await status(nginx.https("/small.txt"), over: transport) == 407)
  }

  @Test func `a tunnel that a credential has made is not for requests with another one, or none`()
    async throws
  {
    let proxy = try await Tinyproxy()
    let transport = transport(proxy)
    func answers(_ credential: String?) async -> Bool {
      var request = Request(nginx.https("/small.txt"))
      if let credential {
        request.headers[.proxyAuthorization] =
          "Basic \(Data(credential.utf8).base64EncodedString())"
      }
      do {
        for try await event in transport.send(request) {
          if case .finished(let metrics) = event { return metrics.reusedConnection }
        }
      } catch {
        return false
      }
      return false
    }
    var first = Request(nginx.https("/small.txt"))
    first.headers[.proxyAuthorization] = "Basic \(Data("ann:sesame".utf8).base64EncodedString())"
    #expect(try await Client { $0.transport = transport }.send(first).value.status == 200)

    #expect(await answers("ann:sesame"))
    #expect(await !answers("bob:sesame"))
    #expect(await !answers(nil))
    #expect(await answers("ann:sesame"))
  }

  @Test func `a digest alone is never sent as a password`() async throws {
    let proxy = try await Tinyproxy()
    let digest = Authenticator(proxy: .digest(user: "ann", password: "sesame"))
    let transport = transport(proxy).authenticated(by: digest)

    #expect(try await status(nginx.http("/small.txt"), over: transport) == 407)
    #expect(try await status(nginx.https("/small.txt"), over: transport) == 407)
  }

  @Test func `without an authenticator a refused tunnel is an error of the proxy`() async throws {
    let proxy = try await Tinyproxy()
    let transport = transport(proxy)

    await #expect(throws: FreshetError.self) {
      try await status(nginx.https("/small.txt"), over: transport)
    }
  }
}
