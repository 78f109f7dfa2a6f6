import Foundation
import Freshet
import FreshetTesting
import Testing

/// Timeouts, query parameters and a deadline for all requests of a client.
@Suite(.timeLimit(.minutes(5))) struct ClientDefaultsTests {
  private let wire = ScriptedTransport { _ in .text("x") }

  private func client(_ configure: (inout Client.Configuration) -> Void) -> Client {
    Client {
      $0.transport = wire
      $0.baseURL = URL(string: "http://a.test/v1/")
      configure(&$0)
    }
  }

  /// The time in all, in hours; a fetch takes the moments off that have passed.
  private func hours(_ timeouts: Request.Timeouts) -> Double? {
    timeouts.total.map { ($0 / .seconds(3_600)).rounded() }
  }

  // MARK: - Networks

  @Test func `a request uses the networks that it and its client allow`() async throws {
    let client = client { $0.networks.remove(.constrained) }
    var request = Request.get("x")
    request.networks.remove(.cellular)

    _ = try await client.send(request).value
    _ = try await client.resource(.get("y")).value
    _ = try await client.send(.get("z")) { $0.networks = .expensive }.value
    _ = try await self.client { _ in }.resource(.get("a")).value

    #expect(
      wire.requests.map(\.networks) == [.expensive, [.cellular, .expensive], .expensive, .all]
    )
  }

  // MARK: - Timeouts

  @Test func `a client's timeouts apply where a request sets none`() async throws {
    let client = client {
      $0.timeouts.connect = .seconds(1)
      $0.timeouts.firstByte = .seconds(2)
      $0.timeouts.total = .seconds(3 * 3_600)
    }
    var request = Request.get("x")
    // What it is by default, but set.
    request.timeouts.firstByte = .seconds(60)
    request.timeouts.total = nil

    _ = try await client.send(request).value
    _ = try await client.resource(.get("y")).value
    _ = try await client.send(.get("z")) { $0.timeouts.total = .seconds(9 * 3_600) }.value

    let timeouts = wire.requests.map(\.timeouts)
    #expect(timeouts.map(\.connect) == [.seconds(1), .seconds(1), .seconds(1)])
    #expect(timeouts.map(\.firstByte) == [.seconds(60), .seconds(2), .seconds(2)])
    #expect(timeouts.map(\.idle) == [.seconds(60), .seconds(60), .seconds(60)])
    #expect(timeouts.map(hours) == [nil, 3, 9])
  }

  @Test func `timeouts are equal if their durations are`() {
    let set = Request.Timeouts { $0.connect = .seconds(30) }

    #expect(set == Request.Timeouts())
    #expect(set.hashValue == Request.Timeouts().hashValue)
    #expect(set != Request.Timeouts { $0.connect = nil })
  }

  // MARK: - Redirects and limits

  @Test func `a client's redirects apply where a request sets none`() async throws {
    let client = client {
      $0.redirects = RedirectPolicy(maximumCount: 0, allowsDowngrade: true)
      $0.redirects.secretHeaders = ["X-Pass"]
    }
    var request = Request.get("x")
    // What it is by default, but set.
    request.redirects.allowsDowngrade = false
    request.redirects.secretHeaders = ["X-Badge"]
    var whole = Request.get("y")
    whole.redirects = .follow

    _ = try await client.send(request).value
    _ = try await client.send(whole).value
    _ = try await client.resource(.get("z")).value
    _ = try await client.send(.get("a")) { $0.redirects.maximumCount = 3 }.value

    let policies = wire.requests.map(\.redirects)
    #expect(policies.map(\.maximumCount) == [0, 10, 0, 3])
    #expect(policies.map(\.allowsDowngrade) == [false, false, true, true])
    #expect(policies.allSatisfy { $0.secretHeaders.contains("X-Pass") })
    #expect(policies.first?.secretHeaders.contains("X-Badge") == true)
  }

  @Test func `a redirect is the response for a client that follows none`() async throws {
    let wire = ScriptedTransport { _ in
      ScriptedResponse(302, headers: [.location: "http://169.254.169.254/"])
    }
    let client = client {
      $0.transport = wire
      $0.redirects = .none
    }

    #expect(try await client.send(.get("x")).value.status == 302)
    #expect(wire.counts.started == 1)
  }

  @Test func `a client's limits apply where a request sets none, and its body limit to no stream`()
    async throws
  {
    let client = client {
      $0.limits.bodyBytes = 1_000
      $0.limits.headerCount = 50
    }
    var request = Request.get("x")
    // What it is by default, but set.
    request.limits.bodyBytes = nil

    _ = try await client.send(request).value
    _ = try await client.resource(.get("y")).value
    _ = try await client.send(.get("z")) { $0.limits.headerCount = 7 }.value
    for try await _ in client.stream(.get("stream")) {}

    #expect(wire.requests.map(\.limits.bodyBytes) == [nil, 1_000, 1_000, nil])
    #expect(wire.requests.map(\.limits.headerCount) == [50, 50, 7, 50])
  }

  @Test func `redirects and limits apply to further pages`() async throws {
    let wire = ScriptedTransport { _ in
      ScriptedResponse(headers: ["Link": "</v1/x?page=2>; rel=next"], body: Data("[]".utf8))
    }
    let client = client {
      $0.transport = wire
      $0.redirects = .none
      $0.limits.bodyBytes = 1_000
    }
    let second = try Request(to: "http://a.test/v1/x?page=2")
    let strategy = PageStrategy { request, _ in request.url.query() == nil ? second : nil }

    for try await _ in client.pages(.get("x"), next: strategy) {}

    #expect(wire.requests.map(\.redirects) == [.none, .none])
    #expect(wire.requests.map(\.limits.bodyBytes) == [1_000, 1_000])
  }

  // MARK: - Deadline

  @Test func `a deadline shortens longer times, keeps shorter ones, and excludes streams`()
    async throws
  {
    let client = client {
      $0.deadline = .seconds(20 * 3_600)
      $0.timeouts.total = .seconds(90 * 3_600)
      $0.timeouts.idle = .seconds(7)
    }

    _ = try await client.send(.get("default")).value
    _ = try await client.send(.get("shorter")) { $0.timeouts.total = .seconds(5 * 3_600) }.value
    _ = try await client.resource(.get("longer")).value
    for try await _ in client.stream(.get("stream")) {}
    var own = Request.get("own")
    own.timeouts.total = .seconds(99 * 3_600)
    for try await _ in client.stream(own) {}

    #expect(wire.requests.map(\.timeouts).map(hours) == [20, 5, 20, nil, 99])
    #expect(wire.requests.map(\.timeouts.idle) == Array(repeating: .seconds(7), count: 5))
  }

  @Test func `a deadline ends a call in the pause before a retry`() async throws {
    let clock = VirtualClock()
    let wire = ScriptedTransport(sequence: [ScriptedResponse(503), .text("x")])
    let client = client {
      $0.transport = wire
      $0.clock = clock
      // A share of the pause might be shorter than the deadline.
      $0.retry = RetryPolicy {
        $0.baseDelay = .seconds(60)
        $0.jitter = .none
      }
      $0.deadline = .seconds(1)
    }

    let response = try await client.send(.get("x")).value

    #expect(response.status == 503)
    #expect(wire.counts.started == 1)
  }

  // MARK: - Query

  @Test func `a client's parameters are added unless the request has the name`() async throws {
    let client = client { $0.query = ["key": "a b&c", "limit": 20] }

    _ = try await client.send(.get("x")).value
    _ = try await client.send(.get("x?limit=5#part")).value
    _ = try await client.resource(.get("x", query: ["k%65y": 1, "key": "own"])).value
    _ = try await client.send(.post("x", body: .text("t"))).value

    #expect(
      wire.requests.map(\.url.absoluteString) == [
        "http://a.test/v1/x?key=a%20b%26c&limit=20",
        "http://a.test/v1/x?limit=5&key=a%20b%26c#part",
        "http://a.test/v1/x?k%2565y=1&key=own&limit=20",
        "http://a.test/v1/x?key=a%20b%26c&limit=20",
      ]
    )
  }

  @Test func `a client's parameters are sent to no other origin`() async throws {
    let client = client { $0.query = ["key": "secret"] }

    _ = try await client.send(Request(to: "http://b.test/x")).value
    _ = try await client.send(Request(to: "http://a.test/x")).value

    #expect(
      wire.requests.map(\.url.absoluteString) == ["http://b.test/x", "http://a.test/x?key=secret"]
    )
  }

  @Test func `stored responses are selected by the parameters`() async throws {
    let memory = MemoryStore()
    for key in [1, 2, 1] {
      let client = client {
        $0.query = key == 1 ? ["key": 1] : ["key": 2]
        $0.memory = memory
        $0.policy.expiry = .never
      }
      _ = try await client.resource(.get("x")).value
    }

    #expect(wire.counts.started == 2)
  }
}
