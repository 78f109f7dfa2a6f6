#if !canImport(Darwin)
import Foundation
import Freshet
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CurlDecodingTests {
  /// Serves a body with its codings, once each connection.
  private func server(_ body: Data, _ codings: String) throws -> RawServer {
    try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: \(codings)\r\n")
      connection.write("Content-Length: \(body.count)\r\n\r\n")
      connection.write(body)
      _ = connection.waitForEnd()
    }
  }

  /// A request for a body that may become whatever it likes.
  private func request(_ server: RawServer) throws -> Request {
    var request = try Request(.get, server.base + "/")
    request.limits.decompressionRatio = 1 << 30
    return request
  }

  @Test func `a body that is expensive to decode ends at the deadline of its request`() async throws
  {
    let server = try server(EncodedText.heavy, "br, zstd")
    var request = try request(server)
    request.timeouts.total = .milliseconds(100)

    let error = await CurlTransport().answer(request).error

    guard case .timedOut(.total, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `other requests continue beside a body that is expensive to decode`() async throws {
    let server = try server(EncodedText.heavy, "br, zstd")
    let echo = try Echo()
    let transport = CurlTransport()
    let (request, hasBegun) = (try request(server), Latch())
    let heavy = Task {
      for try await event in transport.send(request) {
        if case .head = event { hasBegun.open() }
      }
    }
    var other = try Request(.get, echo.base + "/")
    other.timeouts.total = .seconds(15)

    await hasBegun.wait()
    let answer = await transport.answer(other)
    heavy.cancel()

    #expect(answer.error == nil)
    await #expect(throws: FreshetError.cancelled) { try await heavy.value }
  }

  @Test func `refuses too many empty members`() async throws {
    let server = try server(EncodedText.deflated(emptyMembers: 1_000_000), "gzip, gzip")

    let error = await CurlTransport().answer(try Request(.get, server.base + "/")).error

    guard case .limitExceeded(.decompressionRatio(100), _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: ["gzip, gzip, gzip", "gzip, deflate, br", "gzip, gzip, gzip, gzip, gzip"])
  func `refuses more than two codings`(codings: String) async throws {
    let server = try server(EncodedText.gzip(Data("a".utf8)), codings)

    let error = await CurlTransport().answer(try Request(.get, server.base + "/")).error

    #expect(error?.kind == "invalidResponse")
  }

  @Test(arguments: [1, 2])
  func `decodes at most what its reader takes, and finally everything`(times: Int) async throws {
    let once = EncodedText.deflated(zeros: 24 << 20)
    let body = times == 1 ? once : EncodedText.gzip(once)
    let server = try server(body, times == 1 ? "gzip" : "gzip, gzip")
    let transport = CurlTransport { $0.window = 65_536 }
    var (count, largest) = (0, 0)

    for try await event in transport.send(try request(server)) {
      guard case .body(let data) = event else { continue }
      count += data.count
      largest = max(largest, data.count)
    }

    #expect(count == 24 << 20)
    #expect(largest <= 65_536 + 65_536)
  }
}
#endif
