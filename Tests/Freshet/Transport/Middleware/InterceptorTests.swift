import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct InterceptorTests {
  private struct Mark: Interceptor {
    let name: String

    func intercept(
      _ request: Request,
      next: @escaping @Sendable (Request) -> Transfer
    ) -> Transfer {
      var request = request
      request.headers.add(name, for: "X-Mark")
      return next(request)
        .mapEvents { event in
          guard case .body(let data) = event else { return event }
          return .body(data + Data(name.utf8))
        }
    }
  }

  @Test func `the first sees the request first and the events last`() async throws {
    let wire = ScriptedTransport(sequence: [.text("-")])

    let result = await wire.intercepted(by: Mark(name: "a"), Mark(name: "b")).call(try Request())

    #expect(wire.requests.map { $0.headers[values: "X-Mark"] } == [["a", "b"]])
    #expect(result.text == "-ba")
    #expect(result.ends == 1)
  }

  @Test func `wraps all retries or each attempt, by its position`() async throws {
    let wire = ScriptedTransport(sequence: [ScriptedResponse(503), .text("x")])
    let (calls, attempts) = (Counter(), Counter())
    let transport =
      wire
      .intercepted { request, next in
        attempts.count()
        return next(request)
      }
      .retrying(generator: FixedFraction(fraction: 0))
      .intercepted { request, next in
        calls.count()
        return next(request)
      }

    _ = await transport.call(try Request())

    #expect(calls.value == 1)
    #expect(attempts.value == 2)
  }

  @Test func `a URL that is signed behind the stores is stored under that of the request`()
    async throws
  {
    let fields: HTTPHeaders = [.cacheControl: "max-age=60", .eTag: "\"1\""]
    let wire = ScriptedTransport(sequence: [
      ScriptedResponse(headers: fields, body: Data("x".utf8)),
      ScriptedResponse(304, headers: fields),
    ])
    let client = Client {
      $0.now = { Date(timeIntervalSince1970: 1_767_225_600) }
      $0.transport = wire.intercepted { request, next in
        var signed = request
        signed.url.append(queryItems: [URLQueryItem(name: "signature", value: "a")])
        let url = signed.url
        return next(signed)
          .mapEvents { event in
            guard case .head(var head) = event, head.url == url else { return event }
            head.url = request.url
            return .head(head)
          }
      }
    }
    let url = try #require(URL(string: "http://a.example/photo"))

    let first = try await client.resource(at: url).value
    let second = try await client.resource(at: url).value
    let third = try await client.resource(at: url, expiry: .always).value

    #expect([first, second, third].map(\.source) == [.network, .memory, .memory])
    #expect(third.freshness == .revalidated)
    #expect(wire.requests.map(\.url.query) == ["signature=a", "signature=a"])
  }

  @Test func `can answer without sending`() async throws {
    let wire = ScriptedTransport(sequence: [.text("wire")])
    let transport = wire.intercepted { request, _ in
      let head = ResponseHead(status: 302, headers: [.location: "/y"], url: request.url)
      return Transfer(response: head, body: Data("short".utf8))
    }

    let result = await transport.call(try Request())

    #expect(result.names == ["head 302", "body", "finished"])
    #expect(result.text == "short")
    #expect(wire.counts.started == 0)
  }

  @Test func `can send again after a wait`() async throws {
    let wire = ScriptedTransport(sequence: [.text("first"), .text("second")])
    let transport = wire.intercepted { request, next in
      Transfer(
        request,
        preparing: { () async throws(FreshetError) in
          for try await _ in next(request) {}
          return next(request)
        }
      )
    }
    let transfer = transport.send(try Request())
    #expect(wire.counts.started == 0)

    let result = await CallResult(transfer)

    #expect(result.text == "second")
    #expect(wire.counts.started == 2)
  }

  @Test func `can fail, drop events, and end the transfer with an error`() async throws {
    let wire = ScriptedTransport(sequence: [.text("x")])
    let lost = FreshetError.connection(.lost, url: "u")
    let request = try Request()

    let failed = await wire.intercepted { request, _ in Transfer(request, failing: lost) }
      .call(request)
    let quiet =
      await wire.intercepted { request, next in
        next(request).mapEvents { if case .body = $0 { nil } else { $0 } }
      }
      .call(request)
    let broken =
      await wire.intercepted { request, next in
        next(request)
          .mapEvents { event throws(FreshetError) in
            if case .body = event { throw lost }
            return event
          }
      }
      .call(request)

    #expect(failed.error == lost)
    #expect(quiet.names == ["head 200", "finished"])
    #expect(broken.names == ["head 200"])
    #expect(broken.error == lost)
    #expect(broken.ends == 1)
    #expect(wire.counts.running == 0)
  }

  @Test func `a transfer of events neither follows redirects nor continues after the end`()
    async throws
  {
    let request = try Request()
    let head = ResponseHead(status: 301, headers: [.location: "/y"], url: request.url)
    let events = Events(events: [
      .head(head), .finished(TransferMetrics()), .head(head), .finished(TransferMetrics()),
    ])

    let result = await CallResult(Transfer(request, events: events))

    #expect(result.names == ["head 301", "finished"])
  }

  private struct Events: AsyncSequence, Sendable {
    let events: [TransferEvent]

    func makeAsyncIterator() -> Iterator { Iterator(events: events[...]) }

    struct Iterator: AsyncIteratorProtocol {
      var events: ArraySlice<TransferEvent>

      mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(FreshetError) -> TransferEvent? {
        events.popFirst()
      }
    }
  }
}
