#if !canImport(Darwin)
import Foundation
import Freshet
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CurlRunnerTests {
  private func server(after pause: UInt32 = 0) throws -> RawServer {
    try RawServer { connection in
      while connection.readHead() != nil {
        usleep(pause)
        connection.write("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
  }

  @Test func `the thread of a caller begins the request of an idle loop`() async throws {
    let (sent, answered) = (Seen<UInt>(), Seen<UInt>())
    let transport = CurlTransport {
      $0.trace = { kind, bytes in
        if case .requestHead = kind { sent.add(UInt(pthread_self())) }
        if case .responseHead = kind, bytes.starts(with: "HTTP/".utf8) {
          answered.add(UInt(pthread_self()))
        }
      }
    }
    // The thread that has sent a request would receive an immediate answer.
    let request = try Request(.get, try server(after: 5_000).base + "/")

    // The loop may still be busy with a response when its reader sends the next request.
    for _ in 0..<50 { #expect(await transport.answer(request).error == nil) }

    let loop = Set(answered.values)
    #expect(loop.count == 1)
    #expect(Set(sent.values).subtracting(loop).isEmpty == false)
  }

  @Test func `a deadline before those that an idle loop waits for is met`() async throws {
    let silent = try RawServer { connection in
      while connection.readHead() != nil {}
    }
    let transport = CurlTransport()
    let request = try Request(.get, try server().base + "/")
    var short = try Request(.get, silent.base + "/")
    short.timeouts.firstByte = .milliseconds(100)
    let began = ContinuousClock.now

    for _ in 0..<5 {
      #expect(await transport.answer(request).error == nil)
      #expect(await transport.answer(short).error?.phase == .firstByte)
    }

    // Connections have 30 seconds, heads 60.
    #expect(began.duration(to: .now) < .seconds(20))
  }

  @Test func `requests that arrive while a caller's thread begins one are sent`() async throws {
    let transport = CurlTransport()
    let request = try Request(.get, try server().base + "/")

    for _ in 0..<50 {
      let errors = await withTaskGroup(of: FreshetError?.self) { group in
        for _ in 0..<8 { group.addTask { await transport.answer(request).error } }
        return await group.reduce(into: []) { $0.append($1) }
      }

      #expect(errors.allSatisfy { $0 == nil })
    }
  }
}
#endif
