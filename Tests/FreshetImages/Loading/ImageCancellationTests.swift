import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@testable import FreshetImages

/// Pictures that are given up, wherever that is, end once and leave nothing in any queue.
@Suite(.timeLimit(.minutes(5))) struct ImageCancellationTests {
  private let clock = VirtualClock()
  private let gate = Gate()
  private let coalescer = Coalescer()

  enum Operation: String, CaseIterable {
    case phases, value, arriving, client, prefetch
  }

  private func wire(_ point: ScriptedResponse.Point?) -> ScriptedTransport {
    let gate = gate
    return ScriptedTransport { request in
      let response = ScriptedResponse(
        headers: [.cacheControl: "max-age=60", .contentLength: "2"],
        chunks: [Data("a".utf8), Data("1".utf8)]
      )
      guard let point, request.url.path() != "/sound" else { return response }
      return response.waiting(for: gate, at: point)
    }
  }

  private func loader(_ wire: ScriptedTransport) -> ImageLoader {
    let coalescer = coalescer
    let client = Client {
      $0.transport = wire
      $0.coalescer = coalescer
    }
    return ImageLoader(client) {
      $0.decoder = LetterDecoder()
      $0.maximumConcurrentDecodings = 1
    }
  }

  @Test func `a reader that was cancelled before it began gets no phase`() async throws {
    let loader = loader(wire(nil))
    let request = ImageRequest(try Request("http://a.example/a"))
    let reader = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var phases: [ImagePhase] = []
      for await phase in loader.image(request) { phases.append(phase) }
      return phases.count
    }

    #expect(await reader.value == 0)
  }

  /// Does it once; whether it was cancelled.
  private static func run(_ operation: Operation, _ loader: ImageLoader) async throws -> Bool {
    let url = try #require(URL(string: "http://a.example/a"))
    switch operation {
    case .phases: return await isCancelled(loader.image(ImageRequest(url)))
    case .arriving:
      let options = ImageOptions { $0.arrival = .shown }
      return await isCancelled(loader.image(ImageRequest(url), options: options))
    case .client: return await isCancelled(loader.client.image(at: url))
    case .value:
      do {
        _ = try await loader.image(ImageRequest(url)).value
        return false
      } catch {
        try #require(error == .resource(.cancelled))
        return true
      }
    case .prefetch:
      let prefetcher = ImagePrefetcher(loader)
      prefetcher.prefetch([ImageRequest(url)])
      while prefetcher.count > 0, !Task.isCancelled { await Task.yield() }
      let isCancelled = prefetcher.count > 0
      prefetcher.cancelAll()
      try #require(prefetcher.count == 0)
      return isCancelled
    }
  }

  /// Whether it ended without a picture; behind the end there is nothing.
  private static func isCancelled(_ phases: ImageSequence) async -> Bool {
    var iterator = phases.makeAsyncIterator()
    var hasEnd = false
    while let phase = await iterator.next() {
      switch phase {
      case .image, .failure: hasEnd = true
      default: break
      }
    }
    for _ in 0..<20 {
      #expect(await iterator.next() == nil)
    }
    return !hasEnd
  }

  private func requireQuiet(_ loader: ImageLoader, _ wire: ScriptedTransport) async throws {
    #expect(await wire.counted { $0.running == 0 })
    var yields = 100_000
    while yields > 0, coalescer.count + loader.workshop.decodings.waitingCount > 0 {
      await Task.yield()
      yields -= 1
    }
    #expect(coalescer.count == 0)
    #expect(loader.workshop.queue.waitingCount == 0)
    #expect(loader.workshop.decodings.waitingCount == 0)
    // The only place in the queue of decodings is free.
    let sound = ImageRequest(try #require(URL(string: "http://a.example/sound")))
    #expect(try await loader.image(sound).value.letter == "a")
  }

  @Test(
    arguments: Operation.allCases,
    [ScriptedResponse.Point.beforeHead, .afterChunks(0), .afterChunks(1)]
  )
  func `cancelling does not wait for a picture that never comes`(
    operation: Operation,
    point: ScriptedResponse.Point
  ) async throws {
    let wire = wire(point)
    let loader = loader(wire)
    let task = Task { try await Self.run(operation, loader) }
    await gate.waiting()

    task.cancel()

    #expect(try await task.value)
    #expect(await wire.counted { $0.running == 0 })
    #expect(gate.waitingCount == 0)
    try await requireQuiet(loader, wire)
  }

  @Test(arguments: Operation.allCases)
  func `cancelling a picture at any moment is its only end`(
    operation: Operation
  ) async throws {
    for yields in [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144] {
      let wire = wire(nil)
      let loader = loader(wire)
      let task = Task { try await Self.run(operation, loader) }
      for _ in 0..<yields { await Task.yield() }

      task.cancel()

      _ = try await task.value
      try await requireQuiet(loader, wire)
    }
  }

  /// A decoder that works until it is cancelled, a minute at most.
  private struct EndlessDecoder: PictureDecoder {
    let hasBegun = Watched(false)
    let isCancelled = Watched(false)

    func decode(_ data: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture {
      hasBegun.update { $0 = true }
      let end = ContinuousClock.now + .seconds(60)
      while !plan.cancellation.isSet, ContinuousClock.now < end {}
      isCancelled.update { $0 = plan.cancellation.isSet }
      throw .resource(.cancelled)
    }
  }

  @Test func `cancelling a load ends its decoding`() async throws {
    let decoder = EndlessDecoder()
    let loader = ImageLoader(loader(wire(nil)).client) { $0.decoder = decoder }
    let url = try #require(URL(string: "http://a.example/a"))
    let task = Task { try? await loader.image(at: url).value.letter }
    await decoder.hasBegun.wait { $0 }

    task.cancel()

    #expect(await decoder.isCancelled.wait { $0 })
    #expect(await task.value == nil)
  }

  #if Images && !canImport(Darwin)
  @Test(
    arguments: [
      "rgb.png", "interlaced.png", "animated.png", "plain.gif", "animated.webp", "baseline.jpg",
    ]
  )
  func `each codec ends a cancelled decoding`(name: String) throws {
    let data = try Fixture.data(name)
    let plan = DecodingPlan()
    plan.cancellation.set()

    #expect(throws: ImageError.resource(.cancelled)) {
      try SystemPictureDecoder().decode(data, plan)
    }
  }
  #endif

  @Test func `frames that are cancelled in a pause end once`() async throws {
    let bitmap = Bitmap(trusted: PixelSize(width: 1, height: 1), [1, 1, 1, 1])
    let frame = Picture.Frame(bitmap, duration: .seconds(1))
    let frames = FrameSequence(Picture(frame, others: [frame], repetitions: nil), clock: clock)
    let task = Task {
      var iterator = frames.makeAsyncIterator()
      var count = 0
      while await iterator.next() != nil { count += 1 }
      for _ in 0..<20 where await iterator.next() != nil { count += 1 }
      return count
    }
    await clock.sleepers(count: 1)

    task.cancel()

    #expect(await task.value == 1)
    #expect(clock.sleeperCount == 0)
  }

  @Test func `cancels each public operation of pictures`() throws {
    let sources = URL(filePath: #filePath)
      .deletingLastPathComponent().appending(path: "../../../Sources/FreshetImages")
      .standardizedFileURL

    let names = try PublicOperations.names(in: sources)

    #expect(names.sorted() == ["Client.image", "ImageLoader.image", "ImageSequence.value"])
  }
}
