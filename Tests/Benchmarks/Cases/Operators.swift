import Foundation
import Freshet

/// Stages of the library over elements that come from here, another module.
extension Catalogue {
  static let operators: [Benchmark] = [five]

  /// Five stages forward an element that none of them handles; beside it what they would forward: a
  /// chunk from the wire.
  private static let five = Benchmark(
    name: "five-operators",
    unit: .cost,
    count: 400_000
  ) { world, _ in
    let store = MemoryStore()
    var contenders = [
      Contender(name: "freshet") { count, _ in
        var bytes: Int64 = 0
        let events = Chunks(count: count)
          .lookup(in: store)
          .checkExpiry()
          .verify(nil)
          .persist(in: store)
          .settle()
        for try await event in events {
          if case .progress(let progress) = event { bytes += progress.completed }
        }
        guard bytes > 0 else { throw BenchError("nothing came") }
      },
      Contender(name: "none") { count, _ in
        var bytes: Int64 = 0
        for try await step in Chunks(count: count) {
          if case .progress(let progress) = step { bytes += progress.completed }
        }
        guard bytes > 0 else { throw BenchError("nothing came") }
      },
    ]
    if world.isNginx {
      let transport = plainClient(world).configuration.transport
      let url = try world.large(world.options.count(200))
      contenders.append(
        Contender(name: "a chunk received") { count, meter in
          try await receive(url, over: transport, count, meter)
        }
      )
    }
    return contenders
  }

  /// Receives one large body, and tells the meter what so many of its chunks take.
  private static func receive(
    _ url: URL,
    over transport: any Transport,
    _ count: Int,
    _ meter: Meter
  ) async throws {
    var chunks = 0
    let start = ContinuousClock.now
    for try await event in transport.send(Request(url)) {
      if case .body = event { chunks += 1 }
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    meter.set(seconds: seconds / Double(max(1, chunks)) * Double(count))
  }
}

/// Steps that tell of so many chunks, made without any other work.
private struct Chunks: AsyncSequence, Sendable {
  let count: Int

  func makeAsyncIterator() -> Iterator {
    Iterator(count: count)
  }

  struct Iterator: AsyncIteratorProtocol {
    let count: Int
    var sent = 0

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      guard sent < count else { return nil }
      sent += 1
      return .progress(TransferProgress(completed: Int64(sent), total: Int64(count)))
    }
  }
}
