#if !canImport(Darwin)
import Foundation
import Freshet
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CurlRunnerTests {
  private func server() throws -> RawServer {
    try RawServer { connection in
      while connection.readHead() != nil {
        connection.write("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
  }

  @Test func `the thread of a caller begins the request of an idle loop`() async throws {
    let threads = Seen<UInt>()
    let transport = CurlTransport {
      $0.trace = { kind, _ in
        if case .requestHead = kind { threads.add(UInt(pthread_self())) }
      }
    }
    let server = try server()
    let request = try Request(.get, server.base + "/")

    // The loop may still be busy with a response when its reader sends the next request.
    for _ in 0..<200 { #expect(await transport.answer(request).error == nil) }

    // Without callers, it would be that of the loop.
    #expect(Set(threads.values).count > 1)
    withExtendedLifetime(server) {}
  }

  @Test func `a deadline before those that an idle loop waits for is met`() async throws {
    let silent = try RawServer { connection in
      guard connection.readHead() != nil else { return }
      // Until then the loop waits for the timer of the connection as well, which is short.
      usleep(5_000_000)
      connection.write("HTTP/1.1 204 No Content\r\n\r\n")
      while connection.readHead() != nil {}
    }
    let transport = CurlTransport()
    var request = try Request(.get, silent.base + "/")
    request.timeouts.connect = .seconds(3_600)
    request.timeouts.firstByte = .seconds(3_600)
    var short = try Request(.post, silent.base + "/")
    short.timeouts.connect = .seconds(3_600)
    short.timeouts.firstByte = .milliseconds(100)

    for _ in 0..<3 {
      #expect(await transport.answer(request).error == nil)
      // No event on the kept connection wakes the loop before its other deadlines, an hour later.
      #expect(await transport.answer(short).error?.kind == "timedOut")
    }

    withExtendedLifetime(silent) {}
  }

  @Test func `a response that arrives while a caller's thread begins its request is decoded`()
    async throws
  {
    let (body, isAnswered) = (EncodedText.deflated(zeros: 4 << 20), DispatchSemaphore(value: 0))
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
    let server = try RawServer { connection in
      while connection.readHead() != nil {
        connection.write(Data(head.utf8) + body)
        isAnswered.signal()
      }
    }
    let transport = CurlTransport {
      // Otherwise the loop would be woken by the reader that makes room.
      $0.window = 16 << 20
      $0.trace = { kind, _ in
        if case .requestHead = kind { _ = isAnswered.wait(timeout: .now() + 10) }
      }
    }
    var request = try Request(.get, server.base + "/")
    // No deadline wakes the loop either.
    request.timeouts.connect = .seconds(3_600)
    request.timeouts.firstByte = .seconds(3_600)
    request.timeouts.idle = .seconds(3_600)

    for _ in 0..<50 { #expect(await transport.answer(request).error == nil) }

    withExtendedLifetime(server) {}
  }

  @Test func `requests that arrive while a caller's thread begins one are sent`() async throws {
    let transport = CurlTransport()
    let server = try server()
    let request = try Request(.get, server.base + "/")

    for _ in 0..<50 {
      let errors = await withTaskGroup(of: FreshetError?.self) { group in
        for _ in 0..<8 { group.addTask { await transport.answer(request).error } }
        return await group.reduce(into: []) { $0.append($1) }
      }

      #expect(errors.allSatisfy { $0 == nil })
    }
    withExtendedLifetime(server) {}
  }
}
#endif
