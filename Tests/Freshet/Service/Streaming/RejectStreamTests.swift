import Foundation
import Freshet
import Testing

@Suite(.timeLimit(.minutes(5))) struct RejectStreamTests {
  private let refusal = ServiceScript.Reply.json(#"{"message":"No such log"}"#, status: 404)

  private func expectRejection(_ error: CallError<APIError>?) throws {
    guard case .rejected(let rejection) = error else { throw try #require(error) }
    #expect(rejection.status == 404)
    #expect(rejection.model == APIError(message: "No such log"))
    #expect(rejection.body == Data(#"{"message":"No such log"}"#.utf8))
    #expect(rejection.decodingFailure == nil)
  }

  @Test func `an error response of a stream has the decoded model`() async throws {
    let stream = Client(ServiceScript(refusal)).stream(.get("x")).reject(as: APIError.self)

    try expectRejection(
      await #expect(throws: CallError<APIError>.self) { try await stream.collected() }
    )
  }

  @Test func `lines, values and events keep the typed failure`() async throws {
    let stream = Client(ServiceScript(refusal)).stream(.get("x"))
      .validate(contentType: .json)
      .reject(as: APIError.self)

    try expectRejection(
      await #expect(throws: CallError<APIError>.self) { try await stream.lines().collected() }
    )
    try expectRejection(
      await #expect(throws: CallError<APIError>.self) {
        try await stream.ndjson(User.self).collected()
      }
    )
    try expectRejection(
      await #expect(throws: CallError<APIError>.self) {
        try await stream.events().decode(User.self).collected()
      }
    )
  }

  @Test func `an error response of an event stream has the decoded model`() async throws {
    let script = ServiceScript(refusal)
    let events = Client(script).events(.get("x")).reject(as: APIError.self).decode(User.self)

    try expectRejection(
      await #expect(throws: CallError<APIError>.self) { try await events.collected() }
    )
    #expect(script.requests.count == 1)
  }

  @Test func `the updates of an event stream keep the typed failure`() async throws {
    let script = ServiceScript(.json("{}", status: 503), refusal)
    let stream = Client(script)
      .events(.get("x")) {
        $0.delay = .zero
        $0.minimumDelay = .zero
      }
    var kinds: [String] = []

    try expectRejection(
      await #expect(throws: CallError<APIError>.self) {
        for try await update in stream.updates.reject(as: APIError.self) {
          if case .reconnecting(_, let error) = update { kinds.append(error.kind) }
        }
      }
    )

    #expect(kinds == ["status"])
    #expect(script.requests.count == 2)
  }

  @Test func `an error body shows no secret of the request's body`() async throws {
    let echo = ServiceScript.Reply.json(#"{"code":"no 1234-5678"}"#, status: 401)
    let client = Client(ServiceScript(echo, echo, echo))
    let request = Request.post("x", body: try .json(["password": "1234-5678"]))
    let events = client.events(request)

    let failures = [
      await #expect(throws: CallError<[String: Int]>.self) {
        try await client.stream(request).reject(as: [String: Int].self).collected()
      },
      await #expect(throws: CallError<[String: Int]>.self) {
        try await events.reject(as: [String: Int].self).collected()
      },
      await #expect(throws: CallError<[String: Int]>.self) {
        try await events.updates.reject(as: [String: Int].self).collected()
      },
    ]

    for failure in failures {
      guard case .rejected(let refusal) = failure else { throw try #require(failure) }
      let shown = try #require(refusal.decodingFailure).description
      #expect(shown.contains("<redacted>") && !shown.contains("5678"))
    }
  }

  @Test(arguments: ["<html>Bad gateway</html>", "", #"{"message":5}"#])
  func `an error body that is not the model is still that error`(body: String) async throws {
    let stream = Client(ServiceScript(.json(body, status: 502))).stream(.get("x"))
      .reject(as: APIError.self)

    let error = await #expect(throws: CallError<APIError>.self) { try await stream.collected() }

    guard case .rejected(let rejection) = error else { throw try #require(error) }
    #expect(rejection.status == 502)
    #expect(rejection.model == nil)
    #expect(rejection.decodingFailure != nil)
  }

  @Test func `the decoding of the model can be chosen, and none is needed`() async throws {
    let client = Client(ServiceScript(.json(#"{"error":{"text":"quota"}}"#, status: 429)))
    let stream = client.stream(.get("x"))
    let keyed = stream.reject(as: APIError.self, with: .json(keys: ["message": "error.text"]))
    let plain = stream.reject(as: NoErrorModel.self)

    let error = await #expect(throws: CallError<APIError>.self) { try await keyed.collected() }
    let none = await #expect(throws: CallError<NoErrorModel>.self) { try await plain.collected() }

    #expect(error?.model == APIError(message: "quota"))
    guard case .rejected(let rejection) = none else { throw try #require(none) }
    #expect(rejection.decodingFailure == nil)
  }

  @Test func `other failures are failed, once, after the bytes before them`() async throws {
    let lost = FreshetError.connection(.lost, url: "")
    let script = ServiceScript(.init(chunks: [Data("a".utf8)], failure: lost))
    let stream = Client(script).stream(.get("x")).reject(as: APIError.self)
    var iterator = stream.makeAsyncIterator()

    #expect(try await iterator.next(isolation: #isolation) == Data("a".utf8))
    await #expect(throws: CallError<APIError>.failed(lost)) {
      try await iterator.next(isolation: #isolation)
    }
    #expect(try await iterator.next(isolation: #isolation) == nil)
  }

  @Test func `a line that cannot be decoded is failed`() async throws {
    let stream = Client(ServiceScript(.json("{}\n"))).stream(.get("x"))
      .reject(as: APIError.self)
      .ndjson(User.self)

    let error = await #expect(throws: CallError<APIError>.self) { try await stream.collected() }

    guard case .failed(.decoding) = error else { throw try #require(error) }
  }
}
