#if !canImport(Darwin)
import Foundation
import Freshet
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct CurlBlockedCallerTests {
  /// Code of a caller that is a part of its request.
  enum Place: CaseIterable {
    case reader
    case actor
    case actorWithExecutor
    case stage
    case interceptor
    case clock
  }

  @Test(arguments: Place.allCases)
  func `a caller that blocks stops no other request`(in place: Place) async throws {
    let server = try RawServer { connection in
      while connection.readHead() != nil {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")
      }
    }
    let request = try Request(.get, server.base + "/")
    let transport = CurlTransport()

    // It needs no thread of the pool, which may have only the one that is blocked.
    try await withTaskExecutorPreference(QueueExecutor()) {
      let obstacle = Obstacle()
      let blocked = Task.detached { try await place.send(request, over: transport, obstacle) }
      #expect(await obstacle.isReached.wait())
      for _ in 0..<3 {
        let answer = await transport.answer(request)
        #expect(answer.text == "1", "\(String(describing: answer.error))")
      }
      obstacle.isRemoved.open()
      try await blocked.value
      #expect(obstacle.wasRemoved.values == [true])
    }
  }
}

extension CurlBlockedCallerTests.Place {
  /// Sends a request, and blocks at this place.
  @concurrent
  fileprivate func send(
    _ request: Request,
    over transport: CurlTransport,
    _ obstacle: Obstacle
  ) async throws {
    switch self {
    case .reader:
      for try await event in transport.send(request) {
        if case .head = event { obstacle.block() }
      }
    case .actor:
      try await Reader().read(transport.send(request), obstacle)
    case .actorWithExecutor:
      try await read(transport.send(request), obstacle)
    case .stage:
      let client = Client {
        $0.transport = transport
        $0.editChain = { $0.inserting(BlockingStage(obstacle: obstacle), after: .download) }
      }
      _ = try await client.resource(request).value
    case .interceptor:
      let client = Client {
        $0.transport = transport.intercepted(by: BlockingInterceptor(obstacle: obstacle))
      }
      _ = try await client.send(request).value
    case .clock:
      let client = Client {
        $0.transport = transport
        $0.now = {
          obstacle.block()
          return Date()
        }
      }
      _ = try await client.resource(request).value
    }
  }

  @MarkedActor
  private func read(_ transfer: Transfer, _ obstacle: Obstacle) async throws {
    for try await event in transfer {
      if case .head = event { obstacle.block() }
    }
  }
}

/// Stops the first thread that comes, until it is removed.
private final class Obstacle: Sendable {
  let isReached = Latch()
  let isRemoved = Latch()
  /// Whether it was removed in time.
  let wasRemoved = Seen<Bool>()
  private let box = Box()

  func block() {
    guard box.first() else { return }
    isReached.open()
    wasRemoved.add(isRemoved.block())
  }
}

private actor Reader {
  func read(_ transfer: Transfer, _ obstacle: Obstacle) async throws {
    for try await event in transfer {
      if case .head = event { obstacle.block() }
    }
  }
}

private struct BlockingStage: FetchStage {
  let obstacle: Obstacle

  var handles: Fetch.Kinds { .downloaded }

  func replyNow(to step: Fetch) -> Fetch.Reply? {
    obstacle.block()
    return .pass
  }
}

private struct BlockingInterceptor: Interceptor {
  let obstacle: Obstacle

  func intercept(
    _ request: Request,
    next: @escaping @Sendable (Request) -> Transfer
  ) -> Transfer {
    obstacle.block()
    return next(request)
  }
}
#endif
