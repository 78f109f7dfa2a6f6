import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

@testable import FreshetImages

@Suite struct ImagePrefetcherTests {
  private func requests(_ count: Int) throws -> [ImageRequest] {
    try (0..<count).map { ImageRequest(try Request("http://a.example/\($0)")) }
  }

  private func loader(_ transport: ScriptedTransport) -> ImageLoader {
    ImageLoader(Client { $0.transport = transport }) { $0.decoder = LetterDecoder() }
  }

  private func response(_ gate: Gate) -> ScriptedResponse {
    ScriptedResponse(headers: [.cacheControl: "max-age=60"], body: Data("a1".utf8))
      .waiting(for: gate)
  }

  @Test func `loads a few at a time, with low priority`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [response(gate)])
    let prefetcher = ImagePrefetcher(loader(transport), maximumConcurrentLoads: 2)

    prefetcher.prefetch(try requests(5))
    await gate.waiting(count: 2)

    #expect(transport.counts.started == 2)
    #expect(transport.requests.allSatisfy { $0.priority == .low })
    gate.open()
    #expect(await transport.counted { $0.finished == 5 })
  }

  @Test func `loads a repeated request once`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [response(gate)])
    let prefetcher = ImagePrefetcher(loader(transport))

    prefetcher.prefetch(try requests(1))
    prefetcher.prefetch(try requests(1))

    #expect(prefetcher.count == 1)
    gate.open()
    #expect(await transport.counted { $0.finished == 1 })
    #expect(transport.counts.started == 1)
  }

  @Test func `cancels single requests and continues with the rest`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [response(gate)])
    let prefetcher = ImagePrefetcher(loader(transport), maximumConcurrentLoads: 1)
    let requests = try requests(3)
    prefetcher.prefetch(requests)
    await gate.waiting()

    prefetcher.cancel(Array(requests.prefix(2)))

    #expect(await transport.counted { $0.cancelled == 1 && $0.started == 2 })
    #expect(transport.requests.last?.url.path == "/2")
    gate.open()
    #expect(await transport.counted { $0.finished == 1 })
  }

  @Test(arguments: ImageOptions.Arrival.allCases)
  func `a picture that is prefetched and shown is fetched once`(
    arrival: ImageOptions.Arrival
  ) async throws {
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [response(gate)])
    let loader = ImageLoader(Client { $0.transport = transport }) {
      $0.decoder = LetterDecoder()
      $0.options.arrival = arrival
    }
    let prefetcher = ImagePrefetcher(loader)
    let requests = try requests(1)
    prefetcher.prefetch(requests)
    await gate.waiting()

    let view = Task { try await loader.image(requests[0]).value }
    while loader.client.configuration.coalescer?.subscriberCount != 2 { await Task.yield() }
    gate.open()

    #expect(try await view.value.letter == "a")
    #expect(transport.counts.started == 1)
    _ = prefetcher
  }

  /// An element that counts with how many others it is compared.
  private struct Counted: Hashable {
    final class Count: Sendable {
      let number = Mutex(0)
    }

    let value: Int
    let count: Count

    static func == (left: Self, right: Self) -> Bool {
      left.count.number.withLock { $0 += 1 }
      return left.value == right.value
    }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
  }

  @Test func `accepts ten thousand requests in linear time`() throws {
    let count = Counted.Count()
    let elements = (0..<10_000).map { Counted(value: $0, count: count) }
    var line = OrderedQueue<Counted>()

    for element in elements + elements { line.append(element) }
    for element in elements.prefix(5_000) { line.remove(element) }
    line.append(elements[0])
    var order: [Int] = []
    while let element = line.removeFirst() { order.append(element.value) }

    #expect(order == Array(5_000..<10_000) + [0])
    #expect(line.count == 0)
    // Each step compares with what is sought, and with few others; all with all were 50 million.
    #expect(count.number.withLock(\.self) < 500_000)
  }

  @Test func `waits once for each of many requests`() throws {
    let transport = ScriptedTransport(sequence: [response(Gate())])
    let prefetcher = ImagePrefetcher(loader(transport), maximumConcurrentLoads: 1)
    let requests = try requests(1_000)

    prefetcher.prefetch(requests)
    prefetcher.prefetch(requests)
    #expect(prefetcher.count == 1_000)
    prefetcher.cancel(Array(requests.suffix(999)))

    #expect(prefetcher.count == 1)
    prefetcher.cancelAll()
    #expect(prefetcher.count == 0)
  }

  @Test func `ends everything when it is released`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [response(gate)])
    var prefetcher: ImagePrefetcher? = ImagePrefetcher(loader(transport))
    prefetcher?.prefetch(try requests(3))
    await gate.waiting(count: 2)

    prefetcher = nil

    #expect(await transport.counted { $0.cancelled == 2 })
    #expect(transport.counts.started == 2)
  }
}
