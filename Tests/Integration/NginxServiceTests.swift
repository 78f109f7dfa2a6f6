import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite(.enabled(if: Nginx.isInstalled, "nginx and openssl are not installed"), .besideNginx)
struct NginxServiceTests {
  private struct Profile: Decodable, Sendable, Equatable {
    var name: String
  }

  private struct Refusal: Decodable, Sendable, Equatable {
    var message: String
  }

  private struct ShowProfile: Endpoint {
    typealias Output = Profile
    typealias Failure = Refusal
    var path: RequestPath
    var payload: PayloadPath { "results.0.user" }
  }

  let nginx: Nginx

  init() throws {
    nginx = try #require(Nginx.current)
    for folder in ["api", "errors", "private"] {
      try FileManager.default.createDirectory(
        at: nginx.folder.url.appending(path: "files/\(folder)"),
        withIntermediateDirectories: true
      )
    }
    try nginx.write("api/ann.json", Data(#"{"results":[{"user":{"name":"Ann"}}]}"#.utf8))
    try nginx.write("errors/missing.json", Data(#"{"message":"nobody"}"#.utf8))
    try nginx.write("errors/forbidden.json", Data(#"{"message":"not you"}"#.utf8))
    try nginx.write("private/ann.json", Data(#"{"results":[{"user":{"name":"Secret"}}]}"#.utf8))
  }

  private func client(_ configure: (inout CurlTransport.Configuration) -> Void = { _ in }) -> Client
  {
    let authority = nginx.authority.certificate
    let transport = CurlTransport {
      $0.trust = .file(authority)
      configure(&$0)
    }
    return Client {
      $0.transport = transport
      $0.baseURL = nginx.https("/")
    }
  }

  @Test func `reads JSON files through their envelope, also behind a redirect`() async throws {
    #expect(try await client().call(ShowProfile(path: "api/ann.json")).output.name == "Ann")

    let moved = try await client().call(ShowProfile(path: "old/ann.json")).value
    #expect(moved.value.name == "Ann")
    #expect(moved.head.url == nginx.https("/api/ann.json"))
    #expect(moved.request?.url == nginx.https("/old/ann.json"))
  }

  @Test func `a router uses the request and not the target of a redirect`() async throws {
    struct Results: Decodable, Sendable {}
    let router = try Router([
      Route("old/*", Profile.self).unwrap("results.0.user"), Route("api/*", Results.self),
    ])

    let moved = try await client().send(.get("old/ann.json")).decode(Profile.self, by: router).value

    #expect(moved.value.name == "Ann")
  }

  @Test(arguments: [
    ("api/nobody.json", 404, "nobody"), ("old/nobody.json", 404, "nobody"),
    ("api/forbidden/x.json", 403, "not you"),
  ])
  func `an error page is a rejection with its model`(
    path: String,
    status: Int,
    message: String
  ) async throws {
    let error = await #expect(throws: CallError<Refusal>.self) {
      try await client().call(ShowProfile(path: RequestPath(raw: path))).value
    }

    #expect(error?.head?.status.rawValue == status)
    #expect(error?.model == Refusal(message: message))
  }

  @Test func `an error page that is not JSON keeps its status`() async throws {
    let error = await #expect(throws: CallError<Refusal>.self) {
      try await client().call(ShowProfile(path: "broken")).value
    }

    guard case .rejected(let rejection) = error else { throw try #require(error) }
    #expect(rejection.status == 503)
    #expect(rejection.model == nil && rejection.decodingFailure != nil)
    #expect(String(decoding: rejection.body, as: UTF8.self).contains("503"))
  }

  @Test func `basic authentication opens protected files`() async throws {
    let authority = nginx.authority.certificate
    let wire = CurlTransport { $0.trust = .file(authority) }
    let name: (Credential?) async throws -> String = { [nginx] credential in
      let signedIn = Client {
        $0.transport = wire.authenticated(by: Authenticator(credential, for: [nginx.https("/")]))
        $0.baseURL = nginx.https("/")
      }
      return try await signedIn.call(ShowProfile(path: "private/ann.json")).output.name
    }

    #expect(try await name(.basic(user: "ann", password: "open sesame")) == "Secret")
    for credential in [.basic(user: "ann", password: "wrong"), nil] as [Credential?] {
      let error = await #expect(throws: CallError<Refusal>.self) { try await name(credential) }
      #expect(error?.head?.status == 401)
    }
  }

  @Test func `credentials stay at their origin when a redirect leads away`() async throws {
    let own = Client { $0.baseURL = nginx.http("/") }
    let headers: HTTPHeaders = ["Authorization": "Bearer secret"]

    let here = try await own.send(.get("who", headers: headers)).decode(String.self, as: .text)
      .value
    let away = try await own.send(.get("away", headers: headers)).decode(String.self, as: .text)
      .value

    #expect(here.value == "[Bearer secret]")
    #expect(away.value == "[]")
  }

  @Test func `a client shows its certificate to a server that asks`() async throws {
    let identity = nginx.identity()
    let ann = client {
      $0.identity = .init(certificate: identity.certificate, key: identity.key)
    }
    let url = RequestPath(raw: nginx.clients("/certificate").absoluteString)

    #expect(try await ann.send(.get(url)).decode(String.self, as: .text).value.value == "CN=ann")
    let error = await #expect(throws: FreshetError.self) {
      try await client().send(.get(url)).decode(String.self, as: .text).value
    }
    #expect(error?.head?.status == 400)
  }

  @Test func `a missing client certificate is an error`() async throws {
    let nothing = nginx.folder.url.appending(path: "nothing.pem")
    let nobody = client { $0.identity = .init(certificate: nothing, key: nothing) }

    let error = await #expect(throws: FreshetError.self) {
      try await nobody.send(Request(.get, nginx.clients("/certificate"))).value
    }

    #expect(error.map { ["insecure", "file", "connection"].contains($0.kind) } == true)
  }
}
