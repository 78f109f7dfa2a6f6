import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

/// Header fields and bodies in diagnostics.
@Suite(.timeLimit(.minutes(5))) struct DiagnosticMessageTests {
  private func login() throws -> Request {
    try Request(to: "http://a.test/login?token=s3cret") {
      $0.method = .post
      $0.headers = ["Authorization": "Bearer s3cret", "X-Trace": "7"]
      $0.body = .bytes(Data(#"{"user":"ann","password":"s3cret"}"#.utf8), contentType: .json)
    }
  }

  private let answer = ScriptedResponse(
    headers: [.contentType: "application/json", .setCookie: "sid=s3cret"],
    chunks: [Data(#"{"id":7,"#.utf8), Data(#""access_token":"s3cret"}"#.utf8)]
  )

  @Test func `the level trace shows fields and bodies without secrets`() async throws {
    let diagnostics = Diagnostics(minimum: .trace)
    let transport = ScriptedTransport(sequence: [answer]).diagnosed(by: diagnostics)

    _ = await transport.call(try login())

    let messages = diagnostics.recent.filter { $0.level == .trace }
    try #require(messages.count == 2)
    guard case .requested(let sent) = messages[0].occurrence,
      case .responded(200, let received) = messages[1].occurrence
    else {
      Issue.record("\(messages)")
      return
    }
    #expect(sent.headers["X-Trace"] == "7")
    #expect(sent.headers[.authorization] == "<redacted>")
    #expect(sent.body.contains(#""user":"ann""#))
    #expect(received.headers[.contentType] == "application/json")
    #expect(received.body.contains(#""id":7"#))
    #expect(!diagnostics.recent.contains { "\($0)".contains("s3cret") })
    #expect(!messages.contains { String(reflecting: $0).contains("s3cret") })
  }

  @Test func `hides the secrets of a request where the response repeats them`() async throws {
    let diagnostics = Diagnostics(minimum: .trace)
    let echo = ScriptedResponse(
      401,
      headers: [.contentType: "application/json", "X-Reason": "sk-live-1234 is unknown"],
      body: Data(#"{"error":{"message":"Incorrect API key provided: sk-live\u002d1234."}}"#.utf8)
    )
    let transport = ScriptedTransport(sequence: [echo]).diagnosed(by: diagnostics)

    _ = await transport.call(try Request { $0.headers[.authorization] = "Bearer sk-live-1234" })

    let text = diagnostics.recent.map(\.description).joined(separator: "\n")
    #expect(!text.contains("1234"))
    #expect(text.contains("Incorrect API key provided: <redacted>."))
    #expect(text.contains("X-Reason: <redacted> is unknown"))
  }

  @Test func `hides the credential of an authenticator where the response repeats it`()
    async throws
  {
    let diagnostics = Diagnostics(minimum: .trace)
    let wire = ScriptedTransport { _ in .json(#"{"seen":"t0k3n-of-ann"}"#) }
    let origin = try #require(URL(string: "http://a.test/"))
    let session = Authenticator(.bearer("t0k3n-of-ann"), for: [origin])
    let transport = wire.authenticated(by: session).diagnosed(by: diagnostics)

    _ = await transport.call(try Request())

    let text = diagnostics.recent.map(\.description).joined(separator: "\n")
    #expect(text.contains(#"{"seen":"<redacted>"}"#))
  }

  @Test func `shows no fields and bodies by default`() async throws {
    let diagnostics = Diagnostics()
    let transport = ScriptedTransport(sequence: [answer]).diagnosed(by: diagnostics)

    _ = await transport.call(try login())

    #expect(diagnostics.recent.map(\.level) == [.debug, .debug, .info])
  }

  @Test func `shows the length of a body over the limit`() async throws {
    let diagnostics = Diagnostics(minimum: .trace, bodyLimit: 8)
    let transport = ScriptedTransport(sequence: [answer]).diagnosed(by: diagnostics)

    _ = await transport.call(try login())

    #expect(diagnostics.recent.contains { "\($0)".hasSuffix("<34 bytes>") })
    #expect(diagnostics.recent.contains { "\($0)".hasSuffix("<32 bytes>") })
  }

  @Test func `shows the received part of a broken response before the failure`() async throws {
    let diagnostics = Diagnostics(minimum: .trace)
    let broken = answer.failing(
      with: .connection(.lost, url: "http://a.test/login"),
      at: .afterChunks(1)
    )
    let transport = ScriptedTransport(sequence: [broken]).diagnosed(by: diagnostics)

    _ = await transport.call(try login())

    #expect(diagnostics.recent.suffix(2).map(\.level) == [.trace, .error])
  }

  @Test func `a closure is a sink`() async throws {
    let lines = Log()
    let diagnostics = Diagnostics(minimum: .info, sinks: [ClosureSink { lines.add("\($0)") }])
    let transport = ScriptedTransport(sequence: [.text("x")]).diagnosed(by: diagnostics)

    _ = await transport.call(try Request())

    #expect(lines.all == ["#1 GET http://a.test/x: 200, 1 bytes in 0 µs"])
  }

  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }
}
