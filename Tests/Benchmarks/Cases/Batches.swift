import Foundation
import Freshet
import Synchronization

/// A batch of requests that come one after the other.
extension Catalogue {
  static let batches: [Benchmark] = [frontier]

  private static let frontier = Benchmark(
    name: "batch-64-in-flight",
    unit: .rate,
    count: 100_000
  ) { world, count in
    let client = plainClient(world)
    let transport = client.configuration.transport
    return [
      Contender(name: "freshet batch") { count, _ in
        try await run(client.batch(Frontier(count: count, world: world)), count)
      },
      Contender(name: "freshet, 64 fetches") { count, _ in
        try await fetches(Frontier(count: count, world: world), tasks: 64) { request in
          _ = try await client.resource(request).value
        }
      },
      Contender(name: "transport, 64 tasks") { count, _ in
        try await fetches(Frontier(count: count, world: world), tasks: 64) { request in
          for try await _ in transport.send(request) {}
        }
      },
    ]
  }

  /// Runs the batch, and says how large the process is after each tenth.
  ///
  /// On standard error: what is printed is for machines.
  private static func run(_ batch: Batch, _ count: Int) async throws {
    var received = 0
    var curve: [Int] = []
    for try await event in batch.run(maxConcurrent: 64, perHost: 64) {
      guard case .received = event else { continue }
      received += 1
      if received.isMultiple(of: max(count / 10, 1)) { curve.append(Meter.resident) }
    }
    guard received == count else { throw BenchError("\(received) of \(count) arrived") }
    let text = curve.map { String(format: "%.1f", Double($0) / 1024) }.joined(separator: " ")
    FileHandle.standardError.write(Data("batch-64-in-flight, MiB at each tenth: \(text)\n".utf8))
  }

  /// The requests, each given to the next free task.
  private static func fetches(
    _ requests: Frontier,
    tasks: Int,
    _ work: @escaping @Sendable @concurrent (Request) async throws -> Void
  ) async throws {
    let next = Atomic(0)
    try await Workers.run(requests.count, tasks: tasks) { _ in
      try await work(requests.request(next.add(1, ordering: .relaxed).oldValue))
    }
  }
}

/// Different URLs of one file, made as they are asked for.
private struct Frontier: AsyncSequence, Sendable {
  let count: Int
  let base: String

  init(count: Int, world: World) {
    self.count = count
    base = world.http("/1k").absoluteString
  }

  func request(_ index: Int) -> Request {
    Request(URL(string: "\(base)?\(index)") ?? URL(filePath: "/"))
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(frontier: self)
  }

  struct Iterator: AsyncIteratorProtocol {
    let frontier: Frontier
    var index = 0

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Never) -> Request? {
      guard index < frontier.count else { return nil }
      defer { index += 1 }
      return frontier.request(index)
    }
  }
}
