#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CurlFlowTests {
  @Test func `a reader that stops stops the server`() async throws {
    let isRead = Latch()
    let written = Seen<Int>()
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\n\r\n")
      written.add(connection.flood(Data(count: 65_536), limit: 1 << 30, pause: 300))
      isRead.open()
    }
    var iterator = CurlTransport().send(try Request(.get, server.base + "/")).makeAsyncIterator()
    _ = try await iterator.next()

    #expect(await isRead.wait())

    // The window, and what the two sockets hold.
    #expect(try #require(written.values.first) < 16 << 20)
    var count = 0
    while let event = try await iterator.next() {
      if case .body(let data) = event { count += data.count }
    }
    #expect(count == written.values.first)
  }

  @Test(arguments: [1, 65_536, 1 << 20])
  func `keeps all bytes in order with any window`(window: Int) async throws {
    let bytes = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
      connection.write(bytes)
    }

    let answer = await CurlTransport { $0.window = window }
      .answer(try Request(.get, server.base + "/"))

    #expect(answer.body.elementsEqual(bytes))
  }

  @Test func `no more than a window is read at once, because libcurl keeps what does not fit`()
    async throws
  {
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\n\r\n")
      connection.write(Data(count: 5_000_000))
    }
    let reads = Seen<Int>()
    let transport = CurlTransport {
      $0.window = 16 << 10
      $0.trace = { kind, bytes in
        if case .receivedData = kind { reads.add(bytes.count) }
      }
    }

    let answer = await transport.answer(try Request(.get, server.base + "/"))

    #expect(answer.body.count == 5_000_000)
    #expect(try #require(reads.values.max()) <= 16 << 10)
  }

  @Test func `a complete body stays complete for a slow reader`() async throws {
    let bytes = Data(count: 200_000)
    let server = try RawServer { connection in
      while connection.readHead() != nil {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
        connection.write(bytes)
      }
    }
    let transport = CurlTransport { $0.window = 16 << 10 }
    let request = try Request(.get, server.base + "/")

    for _ in 0..<500 {
      let answer = await transport.answer(request)
      #expect(answer.error == nil)
      #expect(answer.body.count == bytes.count)
    }
  }

  @Test func `dropping the iterator closes the connection`() async throws {
    let server = try Endless()

    for try await event in CurlTransport().send(try Request(.get, server.base + "/")) {
      if case .body = event { break }
    }

    #expect(await server.waitForEnd())
  }

  @Test(arguments: [true, false])
  func `cancelling the task ends the wait and closes the connection`(
    hasHead: Bool
  ) async throws {
    // The others may have waited for a busy machine: the fastest shows what the transport takes. The server's
    // thread looks at the clock, since thousands of tests may be before this one in the concurrency pool.
    var fastest = Duration.seconds(60)
    let limit = ContinuousClock.now + .seconds(180)
    while fastest >= .milliseconds(50), ContinuousClock.now < limit {
      let server = try Silent(hasHead: hasHead)
      let transfer = CurlTransport().send(try Request(.get, server.base + "/"))
      let task = Task {
        await thrown { for try await _ in transfer {} }
      }
      #expect(await server.waitForRequest())

      let start = ContinuousClock.now
      task.cancel()
      let error = await task.value

      #expect(error?.kind == "cancelled")
      #expect(await server.waitForEnd())
      fastest = min(fastest, try #require(server.endedAt) - start)
    }
    #expect(fastest < .milliseconds(50))
  }

  @Test func `is nil forever after its cancellation`() async throws {
    let server = try Silent(hasHead: true)
    let transfer = CurlTransport().send(try Request(.get, server.base + "/"))

    let (error, isOver) = await Task {
      var iterator = transfer.makeAsyncIterator()
      _ = try? await iterator.next()
      withUnsafeCurrentTask { $0?.cancel() }
      let error = await thrown { try await iterator.next() }
      let last = try? await iterator.next()
      return (error, last == nil)
    }
    .value

    #expect(error?.kind == "cancelled")
    #expect(isOver)
  }

  @Test func `cancelling at any moment ends every transfer`() async throws {
    let echo = try Echo()
    let transport = CurlTransport()
    let request = try Request(.get, echo.base + "/")

    let ends = await withTaskGroup(of: Bool.self) { group in
      for index in 0..<500 {
        group.addTask {
          let task = Task { await transport.answer(request) }
          for _ in 0..<(index % 50) { await Task.yield() }
          task.cancel()
          let answer = await task.value
          return answer.metrics != nil || answer.error?.kind == "cancelled"
        }
      }
      return await group.reduce(into: [Bool]()) { $0.append($1) }
    }

    #expect(ends.count == 500)
    #expect(ends.allSatisfy { $0 })
  }
}

@Suite(.serialized, .timeLimit(.minutes(5))) struct CurlLifetimeTests {
  @Test func `leaves no descriptor and no thread behind`() async {
    await #expect(processExitsWith: .success) {
      let echo = try Echo()
      let request = try Request(.get, echo.base + "/")
      // Threads and descriptors of the runtime come with the first use.
      _ = await CurlTransport().answer(request)
      let before = try #require(await settled { Process.loops == 0 })

      try await load(CurlTransport(), request)

      let after = try #require(await settled { $0 <= before && Process.loops == 0 })
      exit(after <= before ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test func `handles no signal on the loop's thread`() async throws {
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    let transport = CurlTransport()
    try await complete(transport, try Request(.get, server.base + "/"))

    let blocked = try #require(Process.signalsBlockedByLoops)

    // Nobody can block two of them, and two are the C library's.
    let others = [SIGKILL, SIGSTOP, 32, 33].reduce(UInt64(0)) { $0 | 1 << UInt64($1 - 1) }
    #expect(blocked | others == .max)
  }

  @Test func `creating one starts no thread`() async {
    await #expect(processExitsWith: .success) {
      let transport = CurlTransport()
      _ = transport.send(try Request(.get, "http://127.0.0.1:1/")).makeAsyncIterator()
      exit(Process.loops == 0 ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }
}

/// Ten thousand requests one after the other, and sixty-four at a time.
private func load(_ transport: CurlTransport, _ request: Request) async throws {
  for _ in 0..<10_000 { try await complete(transport, request) }
  try await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<64 {
      group.addTask { for _ in 0..<20 { try await complete(transport, request) } }
    }
    try await group.waitForAll()
  }
}

private func complete(_ transport: CurlTransport, _ request: Request) async throws {
  for try await _ in transport.send(request) {}
}

/// The number of descriptors once the condition holds; `nil` if it does not within a minute.
private func settled(_ condition: () -> Bool) async -> Int? {
  await settled { _ in condition() }
}

private func settled(_ condition: (Int) -> Bool) async -> Int? {
  let deadline = ContinuousClock.now + .seconds(60)
  while ContinuousClock.now < deadline {
    let count = Process.descriptors
    if condition(count) { return count }
    await Task.yield()
  }
  return nil
}

extension Process {
  fileprivate static var descriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
  }

  /// The event loops that run in this process.
  fileprivate static var loops: Int { loopThreads.count }

  /// The signals that no event loop of this process handles, a bit each.
  fileprivate static var signalsBlockedByLoops: UInt64? {
    loopThreads.compactMap { thread -> UInt64? in
      let status = try? String(contentsOfFile: "\(thread)/status", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
      return line.flatMap {
        UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16)
      }
    }
    .reduce(nil) { ($0 ?? .max) & $1 }
  }

  private static var loopThreads: [String] {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.map { "/proc/self/task/\($0)" }
      .filter {
        (try? String(contentsOfFile: "\($0)/comm", encoding: .utf8)) == "freshet\n"
      }
  }
}

/// A server whose body never ends.
private final class Endless: Sendable {
  private let server: RawServer
  private let end = Latch()

  init() throws {
    server = try RawServer { [end] connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\n\r\n")
      while connection.write(Data(count: 10_000)) {}
      end.open()
    }
  }

  var base: String { server.base }
  func waitForEnd() async -> Bool { await end.wait() }
}

/// A server that says no more than a head, if that.
private final class Silent: Sendable {
  private let server: RawServer
  private let request = Latch()
  private let end = Latch()
  private let times = Seen<ContinuousClock.Instant>()

  init(hasHead: Bool) throws {
    server = try RawServer { [request, end, times] connection in
      _ = connection.readHead()
      if hasHead { connection.write("HTTP/1.1 200 OK\r\n\r\n") }
      request.open()
      if connection.waitForEnd() {
        times.add(.now)
        end.open()
      }
    }
  }

  var base: String { server.base }
  /// The time at which the connection was closed.
  var endedAt: ContinuousClock.Instant? { times.values.first }

  func waitForRequest() async -> Bool { await request.wait() }
  func waitForEnd() async -> Bool { await end.wait() }
}
#endif
