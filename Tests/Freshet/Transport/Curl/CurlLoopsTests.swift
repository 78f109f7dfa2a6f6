#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CurlLoopsTests {
  /// Answers each request with the number of its connection.
  private func server() throws -> RawServer {
    let connections = Seen<Bool>()
    return try RawServer { connection in
      connections.add(true)
      let number = connections.values.count
      while connection.readHead() != nil {
        // The thread that has sent the request would receive an immediate answer.
        usleep(500_000)
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)")
      }
    }
  }

  /// A transport with two loops that records the thread of each request's head.
  private func transport(_ threads: Seen<UInt>) -> CurlTransport {
    CurlTransport {
      $0.loops = 2
      $0.trace = { kind, bytes in
        if case .responseHead = kind, bytes.starts(with: "HTTP/".utf8) {
          threads.add(UInt(pthread_self()))
        }
      }
    }
  }

  @Test func `each host has its loop, and its requests share a connection`() async throws {
    let servers = try [server(), server()]
    let threads = Seen<UInt>()
    let transport = transport(threads)

    for _ in 0..<3 {
      for server in servers {
        let answer = await transport.answer(try Request(.get, server.base + "/"))
        #expect(answer.text == "1", "\(String(describing: answer.error))")
      }
    }

    let seen = threads.values
    #expect(seen.count == 6)
    #expect(Set(seen).count == 2)
    #expect(Set(stride(from: 0, to: 6, by: 2).map { seen[$0] }).count == 1)
  }

  @Test func `closing idle connections ends each loop, and the next requests start new ones`()
    async throws
  {
    let servers = try [server(), server()]
    let transport = transport(Seen<UInt>())

    for server in servers {
      #expect(await transport.answer(try Request(.get, server.base + "/")).text == "1")
    }
    await transport.closeIdleConnections()

    // Its connections are closed: the server's part of each has been played.
    for server in servers { #expect(server.waitForConnections()) }
    for server in servers {
      #expect(await transport.answer(try Request(.get, server.base + "/")).text == "2")
    }
  }

  @Test func `closing idle connections closes those of a loop that is in use`() async throws {
    let gate = Gate()
    let servers = try [LoopbackServer(), LoopbackServer()]
    servers[0].route("/slow", .text("x").delayed(until: gate))
    servers[1].route("/quick", .text("x"))
    let transport = CurlTransport { $0.loops = 1 }
    let slow = Task { await transport.answer(Request(servers[0].url("/slow"))).text }
    await servers[0].received(path: "/slow")
    #expect(await transport.answer(Request(servers[1].url("/quick"))).text == "x")

    await transport.closeIdleConnections()

    #expect(try await eventually { servers[1].openConnectionCount == 0 })
    #expect(servers[0].openConnectionCount == 1)
    gate.open()
    #expect(await slow.value == "x")
    for server in servers { await server.stop() }
  }

  @Test func `closing idle connections closes those in use after their exchange`() async throws {
    let gates = [Gate(), Gate()]
    let servers = try [LoopbackServer(), LoopbackServer()]
    for (server, gate) in zip(servers, gates) {
      server.route("/", .text("x").delayed(until: gate))
    }
    let transport = CurlTransport { $0.loops = 1 }
    let answers = servers.map { server in
      Task { await transport.answer(Request(server.url("/"))).text }
    }
    for server in servers { await server.received(path: "/") }

    await transport.closeIdleConnections()
    gates[1].open()

    #expect(await answers[1].value == "x")
    #expect(try await eventually { servers[1].openConnectionCount == 0 })
    gates[0].open()
    #expect(await answers[0].value == "x")
    for server in servers { await server.stop() }
  }

  @Test func `a slow reader and a cancellation reach the loop of their request`() async throws {
    let body = Data(repeating: 7, count: 2 << 20)
    let large = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
      connection.write(body)
    }
    let silent = try RawServer { connection in
      _ = connection.readHead()
      _ = connection.readHead()
    }
    let transport = transport(Seen<UInt>())
    let request = try Request(.get, silent.base + "/")
    let waiting = Task { await transport.answer(request) }

    var received = 0
    for try await event in transport.send(try Request(.get, large.base + "/")) {
      guard case .body(let chunk) = event else { continue }
      received += chunk.count
      await Task.yield()
    }
    waiting.cancel()

    #expect(received == body.count)
    #expect(await waiting.value.error?.kind == "cancelled")
    #expect(silent.waitForConnections())
    // Releasing the transport would close the connection too.
    withExtendedLifetime(transport) {}
  }
}
#endif
