import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

/// Credentials, where they go, and what a 401 means.
@Suite(.timeLimit(.minutes(5))) struct AuthenticatorTests {
  private let api = URL(filePath: "/")

  private func origins(_ texts: String...) throws -> [URL] {
    try texts.map { try #require(URL(string: $0)) }
  }

  @Test(arguments: [
    (Credential.bearer("t0k"), "Bearer t0k"),
    (.basic(user: "Aladdin", password: "open sesame"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
    (.basic(user: "test", password: "123£"), "Basic dGVzdDoxMjPCow=="),
  ])
  func `sends the credential`(credential: Credential, field: String) async throws {
    let wire = ScriptedTransport(sequence: [.text("x")])
    let session = Authenticator(credential, for: try origins("http://a.test/any/path"))

    _ = await wire.authenticated(by: session).call(try Request())

    #expect(wire.requests.map { $0.headers[.authorization] } == [field])
  }

  @Test(arguments: ["a.test", "/v1", "mailto:a@a.test"])
  func `an origin that is none fails the requests`(text: String) async throws {
    let wire = ScriptedTransport(sequence: [.text("x")])
    let session = Authenticator(.bearer("t"), for: try origins("http://a.test", text))

    let result = await wire.authenticated(by: session).call(try Request())

    #expect(result.error?.kind == "unauthenticated")
    #expect(result.error?.description.contains("no scheme or no host") == true)
    #expect(wire.requests.isEmpty)
  }

  @Test(arguments: [("ws://a.test", "http://a.test/"), ("wss://a.test", "https://a.test/")])
  func `sends it to the origin of a WebSocket`(origin: String, url: String) async throws {
    let wire = ScriptedTransport(sequence: [.text("x")])
    let session = Authenticator(.bearer("t"), for: try origins(origin))

    _ = await wire.authenticated(by: session).call(try Request(to: url))

    #expect(wire.requests.map { $0.headers[.authorization] } == ["Bearer t"])
  }

  @Test(arguments: [
    "http://b.test/", "https://a.test/", "http://a.test:81/", "http://sub.a.test/",
    "http://a.test.b.test/",
  ])
  func `sends it to no other origin`(url: String) async throws {
    let wire = ScriptedTransport(sequence: [ScriptedResponse(401)])
    let session = Authenticator(.bearer("t"), for: try origins("http://a.test")) { old, _ in old }

    let result = await wire.authenticated(by: session).call(try Request(to: url))

    #expect(result.status == 401)
    #expect(wire.requests.map { $0.headers[.authorization] } == [nil])
  }

  @Test func `each hop of a redirect gets the credentials of its own origin`() async throws {
    let next = ["/1": "http://b.test/2", "/2": "http://c.test/3", "/3": "http://a.test/4"]
    let wire = ScriptedTransport { request in
      next[request.url.path()].map { ScriptedResponse(302, headers: [.location: $0]) } ?? .text("x")
    }
    let session = Authenticator(.bearer("t"), for: try origins("http://a.test", "http://c.test"))

    let result = await wire.authenticated(by: session).call(try Request(to: "http://a.test/1"))

    #expect(
      result.names == ["redirected", "redirected", "redirected", "head 200", "body", "finished"]
    )
    #expect(
      wire.requests.map { $0.headers[.authorization] } == ["Bearer t", nil, "Bearer t", "Bearer t"]
    )
  }

  @Test func `does not change a request with its own credentials`() async throws {
    let wire = ScriptedTransport(sequence: [ScriptedResponse(401)])
    let session = Authenticator(.bearer("t"), for: try origins("http://a.test")) { old, _ in old }

    let result = await wire.authenticated(by: session)
      .call(try Request { $0.headers[.authorization] = "Basic own" })

    #expect(result.status == 401)
    #expect(wire.requests.map { $0.headers[.authorization] } == ["Basic own"])
  }

  @Test(arguments: [
    ([], true),
    (["Bearer"], true),
    (["Bearer realm=\"a, b\", error=\"invalid_token\", error_description=\"it, expired\""], true),
    (["Basic realm=\"x\", Bearer error=invalid_token"], true),
    (["Basic realm=\"x\"", "bearer realm = \"y\""], true),
    (["Bearer error=\"insufficient_scope\""], false),
    (["Bearer error=\"invalid_request\""], false),
    (["Bearer error=\"invalid_request\", Basic realm=\"x\""], false),
    (["Basic realm=\"Bearer error=invalid_request\""], true),
    (["Negotiate abc=="], true),
  ])
  func `refreshes unless the challenge has another complaint than the token`(
    challenges: [String],
    refreshes: Bool
  ) async throws {
    let fields = challenges.map { HTTPHeaders.Field(name: "WWW-Authenticate", value: $0) }
    let wire = ScriptedTransport { request in
      request.headers[.authorization] == "Bearer new"
        ? .text("x") : ScriptedResponse(401, headers: HTTPHeaders(fields))
    }
    let session = Authenticator(.bearer("old"), for: try origins("http://a.test")) { _, _ in
      .bearer("new")
    }

    let result = await wire.authenticated(by: session).call(try Request())

    #expect(result.status == (refreshes ? 200 : 401))
    #expect(wire.counts.started == (refreshes ? 2 : 1))
  }

  @Test func `signs each attempt and each hop`() async throws {
    let wire = ScriptedTransport(sequence: [
      ScriptedResponse(503), ScriptedResponse(302, headers: [.location: "/y"]), .text("x"),
    ])
    let count = Mutex(0)
    let signer = Authenticator(for: try origins("http://a.test")) { request in
      var request = request
      let number = count.withLock { count in
        count += 1
        return count
      }
      request.headers["X-Signature"] = "\(request.url.path()) \(number)"
      return request
    }
    let transport = wire.authenticated(by: signer)
      .retrying(generator: FixedFraction(fraction: 0))

    let result = await transport.call(try Request())

    #expect(result.status == 200)
    #expect(wire.requests.map { $0.headers["X-Signature"] } == ["/x 1", "/x 2", "/y 3"])
  }

  @Test func `signs the media type of the body as it is sent`() async throws {
    let wire = ScriptedTransport { _ in .text("x") }
    let signer = Authenticator(for: try origins("http://a.test")) { request in
      var request = request
      request.headers["X-Signature"] = request.headers[.contentType] ?? "none"
      return request
    }
    let transport = wire.authenticated(by: signer)
    let bodies: [RequestBody?] = [.text("x"), .bytes(Data("x".utf8)), nil]

    for body in bodies {
      var request = try Request()
      request.method = .post
      request.body = body
      _ = await transport.call(request)
      request.headers[.contentType] = "text/x"
      _ = await transport.call(request)
    }

    #expect(
      wire.requests.map { $0.headers["X-Signature"] }
        == ["text/plain; charset=utf-8", "text/x", "none", "text/x", "none", "text/x"]
    )
  }

  @Test func `a signing that puts another body in its place sends the media type of that one`()
    async throws
  {
    let wire = ScriptedTransport { _ in .text("x") }
    let types: [MediaType?] = [.octetStream, nil]

    for type in types {
      let signer = Authenticator(for: try origins("http://a.test")) { request in
        var request = request
        request.body = .bytes(Data("y".utf8), contentType: type)
        return request
      }
      var request = try Request()
      request.method = .post
      request.body = .text("x")
      _ = await wire.authenticated(by: signer).call(request)
    }

    #expect(
      wire.requests.map { $0.headers[.contentType] }
        == ["application/octet-stream", "text/plain; charset=utf-8"]
    )
  }

  @Test func `a signing that fails ends the call unsent`() async throws {
    struct NoKey: Error {}
    let wire = ScriptedTransport(sequence: [.text("x")])
    let signer = Authenticator(for: try origins("http://a.test")) { _ in throw NoKey() }

    let result = await wire.authenticated(by: signer).call(try Request())

    #expect(
      result.error?.description
        == "The request for http://a.test/x has no valid credentials: signing it failed with NoKey."
    )
    #expect(wire.requests.isEmpty)
  }

  @Test func `no description shows a credential`() {
    let credential = Credential.bearer("s3cret", refreshToken: "s3cret")
    var dumped = ""
    dump(credential, to: &dumped)

    #expect(credential.description == "Bearer <redacted>")
    #expect(!"\(credential.debugDescription) \(dumped) \([credential])".contains("s3cret"))
  }
}
