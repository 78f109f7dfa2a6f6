import Foundation
import Freshet
import FreshetTesting
import Testing

/// A proxy asks with 407, and its credential is no server's (RFC 9110 section 11.7).
@Suite(.timeLimit(.minutes(5))) struct ProxyAuthenticationTests {
  private static let login = Credential.login(user: "Mufasa", password: "Circle of Life")

  @Test(arguments: ["http://a.test/x", "http://a.test:80/x", "http://a.test:81/x"])
  func `a digest of a proxy is answered for the target that the proxy gets`(
    url: String
  ) async throws {
    let server = DigestServer(DigestServer.Settings(isProxy: true))
    let wire = server.transport
    let transport = wire.authenticated(by: Authenticator(proxy: Self.login))

    for _ in 0..<2 { #expect(await transport.call(try Request(to: url)).status == 200) }

    #expect(
      wire.requests.map { $0.headers.contains(.proxyAuthorization) } == [false, true, true]
    )
    #expect(wire.requests.allSatisfy { !$0.headers.contains(.authorization) })
    let target = url.replacing(":80/", with: "/")
    #expect(wire.requests[1].headers[.proxyAuthorization]?.contains("uri=\"\(target)\"") == true)
  }

  @Test func `asks at a 407 and names the proxy`() async throws {
    let wire = ScriptedTransport { request in
      request.headers[.proxyAuthorization] == "Bearer p"
        ? .text("x") : ScriptedResponse(407, headers: ["Proxy-Authenticate": "Bearer realm=p"])
    }
    let proxy = Authenticator(proxy: nil) { question in
      #expect(question.isProxy && question.challenge("bearer")?.realm == "p")
      return .bearer("p")
    }

    #expect(await wire.authenticated(by: proxy).call(try Request()).text == "x")
  }

  @Test func `a proxy gets no server's credential, and a server no proxy's`() async throws {
    let wire = ScriptedTransport { request in
      guard request.headers[.proxyAuthorization] == "Basic cDpw" else {
        return ScriptedResponse(407, headers: ["Proxy-Authenticate": "Basic realm=p"])
      }
      return request.headers[.authorization] == "Basic czpz"
        ? .text("x") : ScriptedResponse(401, headers: ["WWW-Authenticate": "Basic realm=s"])
    }
    let proxy = Authenticator(proxy: .login(user: "p", password: "p"))
    let url = try #require(URL(string: "http://a.test"))
    let server = Authenticator(.login(user: "s", password: "s"), for: [url])
    let transport = wire.authenticated(by: proxy).authenticated(by: server)

    #expect(await transport.call(try Request()).text == "x")
    #expect(await transport.call(try Request()).names == ["head 200", "body", "finished"])
    let elsewhere = await transport.call(try Request(to: "http://b.test/"))
    #expect(elsewhere.status == 401)
  }

  @Test func `a server with a 407 gets nothing from a server's authenticator`()
    async throws
  {
    let wire = ScriptedTransport { _ in
      ScriptedResponse(407, headers: ["Proxy-Authenticate": "Basic realm=p"])
    }
    let url = try #require(URL(string: "http://a.test"))
    let server = Authenticator(nil, for: [url]) { _ in
      Issue.record("it was asked")
      return nil
    }

    let result = await wire.authenticated(by: server).call(try Request())

    #expect(result.status == 407)
    #expect(wire.counts.started == 1)
  }

  @Test func `a response through a proxy is reused without its credential`() async throws {
    let wire = ScriptedTransport { request in
      request.headers.contains(.proxyAuthorization)
        ? ScriptedResponse(
          headers: [.cacheControl: "max-age=3600", .vary: "Proxy-Authorization"],
          body: Data("x".utf8)
        )
        : ScriptedResponse(407, headers: ["Proxy-Authenticate": "Basic realm=p"])
    }
    let client = Client {
      $0.transport = wire.authenticated(by: Authenticator(proxy: Self.login))
    }
    let request = try Request()

    _ = try await client.resource(request).value

    #expect(try await client.resource(request).value.source == .memory)
  }
}
