import Foundation
import Freshet
import FreshetTesting
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

  @Test func `loads a request once however often it is asked for`() async throws {
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

  @Test func `ends what is cancelled and goes on with the rest`() async throws {
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

  @Test func `ends everything when nobody holds it any more`() async throws {
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
