import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

@testable import FreshetCLI

/// Lines that were told.
private final class Told: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

@Suite struct TraceLinesTests {
  private func lines(_ kind: TraceLines.Kind, _ text: String) -> [String] {
    var lines = TraceLines()
    return lines.lines(kind, Array(text.utf8))
  }

  @Test func `marks a head line by line, with hidden secrets`() {
    let head =
      "GET /a?token=abc&b=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Basic eA==\r\nCookie: a=b\r\n\r\n"

    let lines = lines(.requestHead, head)

    #expect(lines[0].hasPrefix("> GET /a?token=") && lines[0].hasSuffix("&b=1 HTTP/1.1"))
    #expect(
      lines[1...] == ["> Host: x", "> Authorization: <redacted>", "> Cookie: <redacted>", "> "]
    )
    #expect(!lines.joined().contains("abc"))
    #expect(self.lines(.responseHead, "HTTP/1.1 200 OK\r\n") == ["< HTTP/1.1 200 OK"])
    #expect(self.lines(.responseHead, "Set-Cookie: id=1\r\n") == ["< Set-Cookie: <redacted>"])
    #expect(self.lines(.responseHead, "A: \u{1B}[2J\r\n") == ["< A: \\u{1B}[2J"])
  }

  @Test(arguments: [
    "h2h3 [authorization: Basic c2VjcmV0]", "[HTTP/2] [1] [authorization: Basic c2VjcmV0]",
    "[HTTP/2] [1] [cookie: id=c2VjcmV0]", "h2h3 [:path: /a?token=c2VjcmV0]",
    "[HTTP/2] [1] OPENED stream for https://a.example/x?token=c2VjcmV0",
    "Uses proxy env variable http_proxy == 'http://ann:c2VjcmV0@proxy.example:3128'",
    "Uses proxy env variable http_proxy == 'ann:c2VjcmV0@proxy.example:3128'",
    "h2h3 [authorization: Bearer c2VjcmV0" + String(repeating: "x", count: 2_010),
  ])
  func `a remark shows no secrets`(remark: String) {
    let line = lines(.text, remark + "\n").joined()

    #expect(!line.contains("c2VjcmV0"), "\(line)")
    #expect(line.hasPrefix("* \(remark.prefix(6))"))
  }

  @Test(arguments: [
    "Connected to a.example (127.0.0.1) port 80 (#0)", "[HTTP/2] [1] [accept: */*]",
    "SSL connection using TLSv1.3 / TLS_AES_256_GCM_SHA384", "h2h3 [:method: GET]",
  ])
  func `shows any other remark unchanged`(remark: String) {
    #expect(lines(.text, remark + "\n") == ["* \(remark)"])
  }

  @Test func `a combining mark behind a field's name does not show its secret`() {
    let lines = lines(.responseHead, "Set-Cookie:\u{301}id=1\r\n")

    #expect(lines == ["< Set-Cookie: <redacted>"])
  }

  @Test func `shows the size of the first piece of data`() {
    var lines = TraceLines()

    #expect(lines.lines(.receivedData, [1, 2, 3]) == ["{ [3 bytes data]"])
    #expect(lines.lines(.receivedData, [4]) == [])
    #expect(lines.lines(.text, Array("x\n".utf8)) == ["* x"])
    #expect(lines.lines(.sentData, [5]) == ["} [1 bytes data]"])
  }

  @Test func `shows the heads of a transport without a trace`() async throws {
    let server = try LoopbackServer(["/r": .redirect(to: "/a"), "/a": .text("x")])
    let told = Told()
    let trace = Trace { told.add($0) }
    let client = Client { $0.interceptors = [TraceInterceptor(trace: trace)] }

    _ = try await client.resource(at: server.url("/r")).value

    #expect(told.all.contains("> GET /r HTTP"))
    #expect(told.all.contains("< HTTP 302 Found"))
    #expect(told.all.contains("< HTTP 200 OK"))
  }
}
