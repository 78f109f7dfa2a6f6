import Foundation
import Freshet
import FreshetTesting
import Synchronization

/// A batch of an `AsyncSequence` beside the bare transport, with 64 requests in flight.
///
/// The origin runs in the same process, so that its cost is in every figure.
struct BatchBenchmark {
  let count: Int
  let concurrency = 64

  func run() async throws {
    let server = try LoopbackServer([
      "/small": .content(Data(repeating: 0x61, count: 1_024), cacheControl: "no-store")
    ]) { $0.requestLimit = 1 }
    let transport = DefaultTransport()
    for round in 1...5 {
      let bare = try await measure { try await bare(server, transport) }
      let batch = try await measure { try await batch(server, transport, showsCurve: round == 1) }
      print(
        "round \(round): transport \(Int(bare))/s, batch \(Int(batch))/s,",
        "ratio \((batch / bare).rounded(to: 3))"
      )
    }
    await server.stop()
  }

  /// Requests per second.
  private func measure(_ work: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await work()
    return Double(count) / start.duration(to: .now).seconds
  }

  private func request(_ index: Int, _ server: LoopbackServer) -> Request {
    Request(.get, server.url("/small?\(index)"))
  }

  private func bare(_ server: LoopbackServer, _ transport: any Transport) async throws {
    let next = Atomic(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<concurrency {
        group.addTask {
          while case let index = next.add(1, ordering: .relaxed).oldValue, index < count {
            for try await _ in transport.send(request(index, server)) {}
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private func batch(
    _ server: LoopbackServer,
    _ transport: any Transport,
    showsCurve: Bool
  ) async throws {
    let client = Client {
      $0.transport = transport
      $0.memory = nil
    }
    let requests = Requests(count: count) { request($0, server) }
    let run = client.batch(requests).run(maxConcurrent: concurrency, perHost: concurrency)
    var received = 0
    for try await event in run {
      guard case .received = event else { continue }
      received += 1
      if showsCurve, received.isMultiple(of: max(count / 10, 1)) {
        print("\(received) requests: \(ResidentSize.mebibytes.rounded(to: 1)) MiB")
      }
    }
    precondition(received == count, "\(received) of \(count) arrived")
  }
}

/// Requests that are made as they are asked for.
struct Requests: AsyncSequence, Sendable {
  let count: Int
  let make: @Sendable (Int) -> Request

  func makeAsyncIterator() -> Iterator {
    Iterator(sequence: self)
  }

  struct Iterator: AsyncIteratorProtocol {
    let sequence: Requests
    var index = 0

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Never) -> Request? {
      guard index < sequence.count else { return nil }
      defer { index += 1 }
      return sequence.make(index)
    }
  }
}
