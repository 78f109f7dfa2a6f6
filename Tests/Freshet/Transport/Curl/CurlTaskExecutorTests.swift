#if !canImport(Darwin)
import Foundation
import Freshet
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CurlTaskExecutorTests {
  /// The threads on which the requests' heads were sent.
  private let loops = Seen<UInt>()

  /// Answers each request with the number of its connection.
  private func server() throws -> RawServer {
    let connections = Seen<Bool>()
    return try RawServer { connection in
      connections.add(true)
      let number = connections.values.count
      while connection.readHead() != nil {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)")
      }
    }
  }

  private func transport(loops count: Int = 1) -> CurlTransport {
    CurlTransport { [loops] in
      $0.loops = count
      $0.trace = { kind, bytes in
        if case .responseHead = kind, bytes.starts(with: "HTTP/".utf8) { loops.add(thread) }
      }
    }
  }

  // MARK: - Threads

  @Test func `a task sends its requests and reads their responses on the loop's thread`()
    async throws
  {
    let server = try server()
    let request = try Request(.get, server.base + "/")
    let transport = transport()

    let readers = try await withTaskExecutorPreference(transport.taskExecutor) {
      var readers = [thread]
      for _ in 0..<3 {
        for try await _ in transport.send(request) { readers.append(thread) }
      }
      return readers
    }

    #expect(loops.values.count == 3)
    #expect(Set(readers) == Set(loops.values))
    #expect(Set(readers).count == 1)
  }

  @Test func `children of a task and actors without an executor run on the loop's thread`()
    async throws
  {
    let threads = await withTaskExecutorPreference(transport().taskExecutor) {
      async let child = thread
      let own = thread
      let group = await withTaskGroup(of: UInt.self) { group in
        group.addTask { thread }
        return await group.next()
      }
      return [own, await child, group, await Plain().thread]
    }

    #expect(Set(threads).count == 1)
  }

  @Test func `actors with an executor and unstructured tasks do not run on the loop's thread`()
    async throws
  {
    let (own, others) = await withTaskExecutorPreference(transport().taskExecutor) {
      (thread, [await markedThread(), await Task { thread }.value, await mainThread()])
    }

    #expect(!others.contains(own))
  }

  @Test func `tasks begin on the loops in turn`() async {
    let executor = transport(loops: 2).taskExecutor

    let first = await Task(executorPreference: executor) { thread }.value
    let second = await Task(executorPreference: executor) { thread }.value
    let third = await Task(executorPreference: executor) { thread }.value

    #expect(first != second)
    #expect(first == third)
  }

  @Test func `a task that waits for a request continues on the loop of the request`()
    async throws
  {
    let isAwaited = Latch()
    let servers = try (0..<2)
      .map { _ in
        try RawServer { connection in
          while connection.readHead() != nil, isAwaited.block() {
            connection.write("HTTP/1.1 204 No Content\r\n\r\n")
          }
        }
      }
    let requests = try servers.map { try Request(.get, $0.base + "/") }
    let transport = transport(loops: 2)

    let readers = await withTaskExecutorPreference(transport.taskExecutor) {
      var readers: [UInt] = []
      for request in requests + requests {
        // The child runs when the thread is free: when the task waits.
        async let opened: Void = isAwaited.open()
        #expect(await transport.answer(request).error == nil)
        readers.append(thread)
        await opened
      }
      return readers
    }

    #expect(readers == loops.values)
    #expect(Set(readers).count == 2)
  }

  // MARK: - Fairness

  @Test func `a task that always has something to run leaves the sockets their turn`() async throws
  {
    let server = try server()
    let request = try Request(.get, server.base + "/")
    let transport = transport()
    let answers = Seen<Answer>()

    await withTaskExecutorPreference(transport.taskExecutor) {
      async let request: Void = answers.add(transport.answer(request))
      while answers.values.isEmpty { await Task.yield() }
      await request
    }

    #expect(answers.values.first?.text == "1")
  }

  @Test func `a task that blocks stops only the requests of its loop`() async throws {
    let servers = try [server(), server()]
    let requests = try servers.map { try Request(.get, $0.base + "/") }
    let transport = transport(loops: 2)
    let (isReached, isRemoved) = (Latch(), Latch())

    await withTaskExecutorPreference(QueueExecutor()) {
      let blocked = Task(executorPreference: transport.taskExecutor) {
        // It continues on the loop of the first server.
        _ = await transport.answer(requests[0])
        isReached.open()
        return isRemoved.block()
      }
      #expect(await isReached.wait())
      #expect(await transport.answer(requests[1]).text == "1")
      isRemoved.open()
      #expect(await blocked.value)
    }
  }

  @Test func `bytes that came before a deadline count, although the loop stood still meanwhile`()
    async throws
  {
    let (hasBegun, isQuiet, isBlocked, standsStill) = (Latch(), Latch(), Latch(), Latch())
    let slow = try RawServer { connection in
      guard connection.readHead() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na")
      hasBegun.block()
      // By then, libcurl has no timer for the transfer, in which it would read it.
      usleep(500_000)
      connection.write("b")
      isBlocked.block()
      connection.write("c")
    }
    let others = try server()
    let further = try Request(.get, others.base + "/")
    var request = try Request(.get, slow.base + "/")
    request.timeouts.idle = .seconds(8)
    let transport = transport()
    let text = Task { [request] in
      var text = ""
      for try await case .body(let chunk) in transport.send(request) {
        text += String(decoding: chunk, as: UTF8.self)
        (text == "a" ? hasBegun : isQuiet).open()
      }
      return text
    }
    #expect(await isQuiet.wait())

    let other = await withTaskExecutorPreference(QueueExecutor()) {
      let standstill = Task(executorPreference: transport.taskExecutor) {
        isBlocked.open()
        standsStill.open()
        usleep(8_200_000)
      }
      #expect(await standsStill.wait())
      // The loop has a further command when it goes on.
      async let answer = transport.answer(further)
      await standstill.value
      return await answer
    }

    #expect(try await text.value == "abc")
    #expect(other.text == "1")
  }

  // MARK: - Ends

  @Test func `a cancellation ends a request of a task on the loop`() async throws {
    let isReceived = Latch()
    let silent = try RawServer { connection in
      _ = connection.readHead()
      isReceived.open()
      _ = connection.readHead()
    }
    let request = try Request(.get, silent.base + "/")
    let transport = transport()

    let task = Task(executorPreference: transport.taskExecutor) { await transport.answer(request) }
    #expect(await isReceived.wait())
    task.cancel()

    #expect(await task.value.error?.kind == "cancelled")
  }

  @Test func `a task keeps the loops of a released transport until it ends`() async {
    let task = Task(executorPreference: CurlTransport().taskExecutor) {
      let first = thread
      for _ in 0..<1_000 { await Task.yield() }
      return first == thread
    }

    #expect(await task.value)
  }

  @Test func `the loops end after the last task that prefers them`() async throws {
    let server = try server()
    let request = try Request(.get, server.base + "/")
    let answer = { @Sendable in
      let transport = CurlTransport()
      return await Task(executorPreference: transport.taskExecutor) {
        await transport.answer(request).text
      }
      .value
    }

    #expect(await answer() == "1")

    // The connection is closed: the server's part has been played.
    #expect(server.waitForConnections())
  }

  @Test func `a task continues after it has closed the idle connections`() async throws {
    let server = try server()
    let request = try Request(.get, server.base + "/")
    let transport = transport()

    await withTaskExecutorPreference(transport.taskExecutor) {
      #expect(await transport.answer(request).text == "1")
      await transport.closeIdleConnections()
      #expect(await transport.answer(request).text == "2")
    }
  }

  @Test func `closing idle connections loses no task`() async throws {
    let server = try server()
    let request = try Request(.get, server.base + "/")
    let transport = transport(loops: 2)

    let tasks = (0..<8)
      .map { _ in
        Task(executorPreference: transport.taskExecutor) {
          var count = 0
          for _ in 0..<50 where await transport.answer(request).error == nil {
            count += 1
            await Task.yield()
          }
          return count
        }
      }
    for _ in 0..<50 { await transport.closeIdleConnections() }

    for task in tasks { #expect(await task.value == 50) }
  }

  @Test func `a task runs on Swift's pool if no loop can be started`() async {
    await #expect(processExitsWith: .success) {
      // Threads and descriptors of the runtime come with the first use, and one more when it counts
      // its threads, without which it ends the process. A loop needs two.
      await Task.detached {}.value
      let transport = CurlTransport()
      let value = await Scarcity.leaving(1) {
        await Task(executorPreference: transport.taskExecutor) { 7 }.value
      }
      exit(value == 7 ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }
}

private actor Plain {
  var thread: UInt { current() }
}

private var thread: UInt { current() }

private func current() -> UInt { UInt(pthread_self()) }

@MarkedActor private func markedThread() -> UInt { current() }

@MainActor private func mainThread() -> UInt { current() }
#endif
