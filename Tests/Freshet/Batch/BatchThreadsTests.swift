import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct BatchThreadsTests {
  let world = BatchWorld()

  private func urls(_ numbers: Range<Int>) -> [URL] { numbers.map { BatchWorld.url("\($0)") } }

  @Test func `workers continue while the reader handles an event`() async throws {
    let urls = ["1", "2", "3", "4", "gated"].map(BatchWorld.url)
    var received = 0

    for try await event in world.client(world.origin()).batch(urls).run(maxConcurrent: 4) {
      guard case .received = event else { continue }
      if received == 0 {
        await world.gate.waiting()
        world.gate.open()
      }
      received += 1
    }

    #expect(received == 5)
  }

  @Test @MarkedActor func `workers do not run on the reader's actor`() async throws {
    let places = Guarded<Set<Bool>>([])
    let client = world.client(
      ScriptedTransport { _ in
        places.change { $0.insert(MarkedActor.isCurrent) }
        return ScriptedResponse()
      }
    )

    var readers: Set<Bool> = []
    for try await _ in client.batch(urls(0..<100)).run() { readers.insert(MarkedActor.isCurrent) }

    #expect(readers == [true])
    #expect(places.value == [false])
  }

  @Test func `workers do not run on the executor that the reader's task prefers`() async throws {
    let executor = QueueExecutor()
    let places = Guarded<Set<Bool>>([])
    let client = world.client(
      ScriptedTransport { _ in
        places.change { $0.insert(executor.isCurrent) }
        return ScriptedResponse()
      }
    )
    let run = client.batch(urls(0..<100)).run()

    let readers = try await withTaskExecutorPreference(executor) {
      var readers: Set<Bool> = []
      for try await _ in run { readers.insert(executor.isCurrent) }
      return readers
    }

    #expect(readers == [true])
    #expect(places.value == [false])
  }

  @Test func `a worker can read a batch of its own`() async throws {
    let inner = world.client(world.origin()).batch(urls(0..<20))
    let client = world.client(BatchTransport(batch: inner))
    var bodies: [Data] = []

    for try await event in client.batch(urls(0..<3)).run() {
      guard case .received(_, let resource) = event else { continue }
      bodies.append(try resource.response.body.data())
    }

    #expect(bodies == Array(repeating: Data("20".utf8), count: 3))
  }
}

/// Answers with how many items of a batch have come.
private struct BatchTransport: Transport {
  let batch: Batch

  func send(_ request: Request) -> Transfer {
    Transfer(
      request,
      preparing: { () async throws(FreshetError) in
        let result = try await batch.run().value
        let head = ResponseHead(status: 200, headers: [:], url: request.url)
        return Transfer(response: head, body: Data("\(result.completedItems)".utf8))
      }
    )
  }
}
