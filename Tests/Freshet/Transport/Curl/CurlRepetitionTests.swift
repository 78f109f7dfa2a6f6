#if !canImport(Darwin)
import Foundation
import Freshet
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CurlRepetitionTests {
  enum Ending: CaseIterable { case closed, reset }

  /// Answers one request of each connection, and none that comes after it.
  private func server(_ ending: Ending, _ seen: Seen<String>) throws -> RawServer {
    try RawServer { connection in
      for number in 0... {
        guard let head = connection.readHead() else { return }
        let length = head.contains("Content-Length: 5") ? 5 : 0
        _ = connection.read(length)
        seen.add(String(head.prefix { $0 != " " }))
        if number == 1, ending == .closed { return }
        if number == 1 { return connection.reset() }
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
      }
    }
  }

  @Test(arguments: Ending.allCases, [HTTPMethod.post, .patch])
  func `an unsafe request is not sent again`(
    ending: Ending,
    method: HTTPMethod
  ) async throws {
    let seen = Seen<String>()
    let server = try server(ending, seen)
    let transport = CurlTransport()

    for body in [nil, RequestBody.text("hello")] {
      let kept = await transport.answer(try Request(.get, server.base + "/"))
      var request = try Request(method, server.base + "/pay")
      request.body = body
      let answer = await transport.answer(request)

      #expect(kept.text == "a")
      #expect(answer.error?.failure == .lost)
    }
    #expect(seen.values == ["GET", method.rawValue, "GET", method.rawValue])
  }

  @Test(arguments: Ending.allCases)
  func `a safe request is sent again`(ending: Ending) async throws {
    let server = try server(ending, Seen())
    let transport = CurlTransport()
    let url = server.base + "/"
    var keyed = try Request(.post, url)
    keyed.headers["Idempotency-Key"] = "1"
    var question = try Request(.post, url)
    question.cacheIdentity = .request()

    for var request in [try Request(.put, url), try Request(.delete, url), keyed, question] {
      let kept = await transport.answer(try Request(.get, url))
      if request.method != .delete { request.body = .text("hello") }
      let answer = await transport.answer(request)

      #expect(kept.text == "a")
      #expect(answer.text == "a", "\(request.method): \(String(describing: answer.error))")
      _ = await transport.answer(try Request(.get, url))
    }
  }
}
#endif
