import Foundation
import Freshet
import Testing

@Suite struct RetryDecisionTests {
  private let now = Date(timeIntervalSince1970: 1_767_225_600)

  private func head(_ status: HTTPStatus, _ headers: HTTPHeaders = [:]) -> RetryPolicy.Outcome {
    .answered(ResponseHead(status: status, headers: headers, url: URL(filePath: "/")))
  }

  private func decide(
    _ outcome: RetryPolicy.Outcome,
    _ request: Request? = nil,
    by policy: RetryPolicy = .standard,
    attempt: Int = 1,
    elapsed: Duration = .zero,
    jitter: Double = 0.5
  ) throws -> RetryPolicy.Decision {
    policy.decision(
      for: try request ?? Request(),
      attempt: attempt,
      outcome: outcome,
      elapsed: elapsed,
      now: now,
      jitter: jitter
    )
  }

  @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
  func `retries a transient status`(status: Int) throws {
    #expect(try decide(head(HTTPStatus(status))) == .after(.milliseconds(100)))
  }

  @Test(arguments: [200, 204, 301, 304, 400, 401, 403, 404, 409, 410, 501, 505])
  func `leaves every other status alone`(status: Int) throws {
    #expect(try decide(head(HTTPStatus(status))) == .stop)
  }

  @Test(arguments: [
    FreshetError.connection(.refused, url: ""), .connection(.lost, url: ""),
    .connection(.unknownHost, url: ""), .connection(.truncated, url: ""),
    .timedOut(.connect, url: ""), .timedOut(.firstByte, url: ""), .timedOut(.idle, url: ""),
  ])
  func `retries connections and timeouts`(error: FreshetError) throws {
    #expect(try decide(.failed(error)) == .after(.milliseconds(100)))
  }

  @Test(arguments: [
    FreshetError.cancelled, .timedOut(.total, url: ""), .insecure("x", url: ""),
    .invalidRequest("x", url: ""), .connection(.suspended(for: .zero), url: ""),
    .limitExceeded(.bodyBytes(1), url: ""), .unauthenticated("x", url: ""),
  ])
  func `does not retry permanent errors`(error: FreshetError) throws {
    #expect(try decide(.failed(error)) == .stop)
  }

  @Test(arguments: [
    ("GET", true), ("HEAD", true), ("PUT", true), ("DELETE", true), ("POST", false),
    ("PATCH", false),
  ])
  func `retries idempotent methods only`(method: String, retried: Bool) throws {
    let decision = try decide(head(503), Request(HTTPMethod(method)))

    #expect((decision != .stop) == retried)
  }

  @Test func `retries a POST with a key, or by permission`() throws {
    let keyed = try Request(.post) { $0.headers[.idempotencyKey] = "1" }
    var all = RetryPolicy.standard
    all.eligibility = .all

    #expect(try decide(head(503), keyed) != .stop)
    #expect(try decide(head(503), Request(.post), by: all) != .stop)
  }

  @Test func `retries a POST that is declared safe`() throws {
    let question = try Request(.post) {
      $0.body = .text("query { me { name } }")
      $0.cacheIdentity = .request()
    }

    #expect(try decide(head(503), question) != .stop)
  }

  @Test func `never sends a one-time body again`() throws {
    let once = try Request(.put) { $0.body = .stream { EmptyChunks() } }
    let again = try Request(.put) { $0.body = .stream(isReplayable: true) { EmptyChunks() } }
    var all = RetryPolicy.standard
    all.eligibility = .all

    #expect(try decide(head(503), once, by: all) == .stop)
    #expect(try decide(head(503), again, by: all) != .stop)
  }

  @Test func `doubles the pause up to its maximum, and takes a share of it`() throws {
    var policy = RetryPolicy.standard
    policy.maximumRetries = 100
    policy.maximumDelay = .seconds(1)

    let pauses = try [1, 2, 3, 4, 100]
      .map { attempt in
        try decide(head(503), by: policy, attempt: attempt, jitter: 1)
      }

    #expect(
      pauses == [200, 400, 800, 1_000, 1_000].map { .after(.milliseconds($0)) }
    )
    #expect(try decide(head(503), by: policy, attempt: 3, jitter: 0) == .after(.zero))
  }

  @Test(arguments: [0, 0.5, 0.999])
  func `waits the same pause before each retry, without jitter`(random: Double) throws {
    let policy = RetryPolicy(retries: 3, after: .seconds(30))

    let decisions = try (1...4)
      .map { try decide(head(503), by: policy, attempt: $0, jitter: random) }

    #expect(decisions == [.after(.seconds(30)), .after(.seconds(30)), .after(.seconds(30)), .stop])
    #expect(try decide(head(404), by: policy) == .stop)
    #expect(try decide(head(503), by: RetryPolicy(retries: 0, after: .zero)) == .stop)
  }

  @Test func `randomizes a fixed pause on request`() throws {
    let policy = RetryPolicy(retries: 3, after: .seconds(3), jitter: .full)

    #expect(try decide(head(503), by: policy, attempt: 3, jitter: 0.5) == .after(.seconds(1.5)))
  }

  @Test func `pauses that double may also be without jitter`() throws {
    var policy = RetryPolicy.standard
    policy.jitter = .none

    #expect(try decide(head(503), by: policy, attempt: 2) == .after(.milliseconds(400)))
  }

  @Test(arguments: [("7", 7), ("2", 3)])
  func `a pause without jitter is the longer one of its own and the server's`(
    text: String,
    seconds: Int
  ) throws {
    let policy = RetryPolicy(retries: 1, after: .seconds(3))

    #expect(try decide(head(503, [.retryAfter: text]), by: policy) == .after(.seconds(seconds)))
  }

  @Test func `stops after the last retry`() throws {
    #expect(try decide(head(503), attempt: 3) != .stop)
    #expect(try decide(head(503), attempt: 4) == .stop)
    #expect(try decide(head(503), by: .never) == .stop)
  }

  @Test(arguments: [
    (["Retry-After": "7"], 7_100),
    (["Retry-After": "Thu, 01 Jan 2026 00:00:05 GMT"], 5_100),
    (
      ["Retry-After": "Thu, 01 Jan 2026 00:00:05 GMT", "Date": "Thu, 01 Jan 2026 00:00:02 GMT"],
      3_100
    ),
    (["Retry-After": "Wed, 31 Dec 2025 00:00:00 GMT"], 100),
    (["Retry-After": "soon"], 100),
  ])
  func `waits at least as long as the server asks`(
    fields: [String: String],
    milliseconds: Int
  ) throws {
    let headers = HTTPHeaders(fields.map { .init(name: .init($0.key), value: $0.value) })

    let decision = try decide(head(429, headers))

    #expect(decision == .after(.milliseconds(milliseconds)))
  }

  @Test(arguments: ["61", "9223372036854775807", "Thu, 01 Jan 2026 00:02:00 GMT"])
  func `does not wait for a server that asks for a long pause`(text: String) throws {
    #expect(try decide(head(503, [.retryAfter: text])) == .stop)
    #expect(try decide(head(503, [.retryAfter: "60"])) != .stop)
  }

  @Test func `a closure decides in place of the policy`() throws {
    let policy = RetryPolicy {
      $0.decide = { attempt in
        if attempt.head?.headers["X-Maintenance"] != nil { return .stop }
        if attempt.head?.headers["X-State"] == "pending" { return .after(.seconds(attempt.number)) }
        return attempt.decision
      }
    }

    #expect(try decide(head(503, ["X-Maintenance": "1"]), by: policy) == .stop)
    #expect(try decide(head(503), by: policy) == .after(.milliseconds(100)))
    #expect(try decide(.failed(.cancelled), by: policy) == .stop)
    let pending = head(200, ["X-State": "pending"])
    #expect(try decide(pending, by: policy, attempt: 2) == .after(.seconds(2)))
    #expect(policy == policy && policy != .standard)
  }

  @Test func `a closure is asked neither beyond the limits nor for what may not be repeated`()
    throws
  {
    let policy = RetryPolicy { $0.decide = { _ in .after(.seconds(1)) } }
    let request = try Request { $0.timeouts.total = .seconds(10) }
    var post = try Request()
    post.method = .post

    #expect(try decide(head(200), by: policy, attempt: 3) == .after(.seconds(1)))
    #expect(try decide(head(200), by: policy, attempt: 4) == .stop)
    #expect(try decide(head(200), post, by: policy) == .stop)
    #expect(try decide(head(200), request, by: policy, elapsed: .seconds(9)) == .stop)
  }

  @Test func `a cancellation is not retried, whatever a closure says`() throws {
    let policy = RetryPolicy { $0.decide = { _ in .after(.seconds(1)) } }

    #expect(try decide(.failed(.cancelled), by: policy) == .stop)
  }

  @Test func `does not begin a pause that ends after the call's deadline`() throws {
    let request = try Request { $0.timeouts.total = .seconds(10) }

    #expect(try decide(head(503), request, elapsed: .seconds(9)) != .stop)
    #expect(try decide(head(503), request, elapsed: .seconds(9.95)) == .stop)
    #expect(try decide(head(503, [.retryAfter: "10"]), request) == .stop)
  }
}

private struct EmptyChunks: AsyncSequence, Sendable {
  struct AsyncIterator: AsyncIteratorProtocol {
    mutating func next(isolation: isolated (any Actor)?) async throws -> Data? { nil }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
