#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// What an explanation tells of the ways that a request went.
@Suite(.timeLimit(.minutes(5))) struct ExplanationSecretsTests {
  private static let secret = "hunter2"
  private let memory = MemoryStore()

  private struct Failing: Interceptor {
    let error: FreshetError

    func intercept(
      _ request: Request,
      next: @escaping @Sendable (Request) -> Transfer
    ) -> Transfer {
      Transfer(
        request,
        preparing: { () async throws(FreshetError) -> Transfer in throw error }
      )
    }
  }

  private func client(_ interceptors: any Interceptor...) -> Client {
    var policy = RetryPolicy.standard
    (policy.baseDelay, policy.maximumRetries) = (.zero, 1)
    return Client { [memory] in
      $0.transport = CurlTransport { $0.proxy = .none }
      $0.memory = memory
      $0.disk = nil
      $0.retry = policy
      $0.interceptors = interceptors
    }
  }

  /// Answers what is asked for first, sends elsewhere what is asked for again, and answers nothing there.
  private func server() throws -> RawServer {
    try RawServer { connection in
      while let head = connection.readHead() {
        if head.hasPrefix("GET /gone") { return connection.reset() }
        let isAgain = head.contains("If-None-Match")
        if head.hasPrefix("GET /moved") || isAgain {
          let place = isAgain ? "gone" : "there"
          connection.write(
            "HTTP/1.1 302 Found\r\nLocation: /\(place)?access_token=hunter2#hunter2\r\n"
              + "Content-Length: 0\r\n\r\n"
          )
        } else {
          connection.write(
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=0\r\nETag: \"1\"\r\n"
              + "Content-Length: 1\r\n\r\na"
          )
        }
      }
    }
  }

  private func showsNoSecret(_ resource: Resource) {
    var dumped = ""
    dump(resource.explanation, to: &dumped)
    let texts = ["\(resource.explanation)", String(reflecting: resource.explanation), dumped]
    for text in texts { #expect(!text.contains(Self.secret), "\(text)") }
  }

  @Test func `an explanation shows no secret of a redirect, a retry or an outage`() async throws {
    let server = try server()
    let client = client()

    let moved = try await client.resource(Request(.get, server.base + "/moved?token=hunter2")).value
    let request = try Request(.get, server.base + "/x?token=hunter2")
    _ = try await client.resource(request).value
    let stale = try await client.resource(request).value

    #expect(moved.explanation.contains(.redirected(to: server.base + "/there")))
    #expect("\(stale.explanation)".contains("attempt 2"))
    #expect("\(stale.explanation)".contains("served stale"))
    for resource in [moved, stale] { showsNoSecret(resource) }
  }

  @Test func `an explanation shows no secret of an interceptor's error`() async throws {
    let server = try server()
    let request = try Request(.get, server.base + "/x?token=hunter2")
    _ = try await client().resource(request).value
    let url = "https://ann:hunter2@a.test/x?token=hunter2#hunter2"
    let head = ResponseHead(
      status: 503,
      headers: [.setCookie: "a=hunter2"],
      url: try #require(URL(string: url))
    )
    let errors: [FreshetError] = [
      .connection(.lost, url: url), .timedOut(.idle, url: url),
      .invalidResponse("it is none", url: url), .status(head, body: Data("hunter2".utf8)),
    ]

    for error in errors {
      let stale = try await client(Failing(error: error)).resource(request).value
      #expect("\(stale.explanation)".contains("served stale"), "\(error)")
      showsNoSecret(stale)
    }
  }
}
#endif
