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

  @concurrent func run() async throws {
    let server = try LoopbackServer([
      "/small": .content(Data(repeating: 0x61, count: 1_024), cacheControl: "no-store")
    ]) { $0.requestLimit = 1 }
    let transport = DefaultTransport()
    let layers = ProcessInfo.processInfo.environment["LAYERS"] != nil
    if let only = ProcessInfo.processInfo.environment["ONLY"] {
      switch only {
      case "chain": try await resources(server, transport, flights: nil)
      case "flights": try await resources(server, transport, flights: Flights())
      case "batch": try await batch(server, transport, showsCurve: false)
      default: try await bare(server, transport)
      }
      return
    }
    for round in 1...5 {
      let transported = try await measure { try await bare(server, transport) }
      if layers {
        let alone = try await measure { try await resources(server, transport, flights: nil) }
        let shared = try await measure { try await resources(server, transport, flights: Flights()) }
        print("round \(round): chain \(alone.text), chain with flights \(shared.text)")
      }
      let batched = try await measure { try await batch(server, transport, showsCurve: round == 1) }
      print(
        "round \(round): transport \(transported.text), batch \(batched.text),",
        "ratio \((batched.rate / transported.rate).text(digits: 3)),",
        "CPU \((transported.processor / batched.processor).text(digits: 3))"
      )
    }
    await server.stop()
  }

  private struct Figure {
    /// Requests per second.
    let rate: Double
    /// Microseconds of processor time a request, the origin's included.
    let processor: Double

    var text: String { "\(Int(rate))/s (\(processor.text(digits: 1)) µs CPU)" }
  }

  private func measure(_ work: () async throws -> Void) async rethrows -> Figure {
    let (start, processor) = (ContinuousClock.now, ProcessorTime.now)
    try await work()
    let seconds = start.duration(to: .now).seconds
    return Figure(
      rate: Double(count) / seconds,
      processor: (ProcessorTime.now - processor) / Double(count) * 1e6
    )
  }

  private func request(_ index: Int, _ server: LoopbackServer) -> Request {
    Request(.get, server.url("/small?\(index)"))
  }

  private func bare(_ server: LoopbackServer, _ transport: any Transport) async throws {
    let next = Next()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<concurrency {
        group.addTask {
          while case let index = next.take(), index < count {
            for try await _ in transport.send(request(index, server)) {}
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// The same tasks with the preset chain in place of the transport.
  func resources(_ server: LoopbackServer, _ transport: any Transport, flights: Flights?) async throws {
    let next = Next()
    let client = Client {
      $0.transport = transport
      $0.memory = nil
      $0.flights = flights
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<concurrency {
        group.addTask {
          while case let index = next.take(), index < count {
            _ = try await client.resource(request(index, server)).value
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
        print("\(received) requests: \(ResidentSize.mebibytes.text(digits: 1)) MiB")
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

/// Counts the requests of several tasks.
private final class Next: Sendable {
  private let index = Atomic(0)

  func take() -> Int {
    index.add(1, ordering: .relaxed).oldValue
  }
}
