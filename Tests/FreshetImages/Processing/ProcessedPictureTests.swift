import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

@testable import FreshetImages

@Suite struct ProcessedPictureTests {
  let clock = VirtualClock()
  let folder: TemporaryDirectory
  private let runs = Counter()
  private let decoder = CountingDecoder()

  init() throws {
    folder = try TemporaryDirectory()
  }

  /// Counts its runs and keeps the first pixels.
  private func first(_ count: Int) -> ImageProcessor {
    .custom("first \(count)") { [runs] bitmap throws(ImageError) in
      runs.add(isOnMainThread: Thread.isMainThread)
      return try ImageProcessor.cropped(x: 0, y: 0, width: Double(count), height: 1)
        .apply(to: bitmap)
    }
  }

  private final class Counter: Sendable {
    private let state = Mutex((count: 0, wasOnMainThread: false))

    var count: Int { state.withLock(\.count) }
    var wasOnMainThread: Bool { state.withLock(\.wasOnMainThread) }

    func add(isOnMainThread: Bool) {
      state.withLock { state in
        state.count += 1
        state.wasOnMainThread = state.wasOnMainThread || isOnMainThread
      }
    }
  }

  private func client(_ answers: [ScriptedResponse], disk: DiskStore? = nil) -> Client {
    let clock = clock
    return Client {
      $0.transport = ScriptedTransport(sequence: answers)
      $0.disk = disk
      $0.now = { clock.date }
    }
  }

  private func loader(
    _ client: Client,
    _ configure: (inout ImageLoader.Configuration) -> Void = { _ in }
  ) -> ImageLoader {
    ImageLoader(client) {
      $0.decoder = decoder
      configure(&$0)
    }
  }

  /// A new loader without a memory of pictures, which stores results on disk.
  private func diskLoader(_ client: Client) -> ImageLoader {
    loader(client) {
      $0.memory = nil
      $0.processed = .inMemoryAndOnDisk
    }
  }

  private func answer(
    _ letters: String,
    eTag: String = "\"v1\"",
    control: String = "max-age=60"
  ) -> ScriptedResponse {
    ScriptedResponse(
      headers: [.date: HTTPDate.format(clock.date), .cacheControl: control, .eTag: eTag],
      body: Data(letters.utf8)
    )
  }

  private func request(_ processors: ImageProcessor...) throws -> ImageRequest {
    ImageRequest(try Request("http://a.example/a"), processors: processors)
  }

  private func disk() -> DiskStore {
    DiskStore(directory: folder.url.appending(path: "store"))
  }

  private func count(_ disk: DiskStore) async throws -> Int {
    var count = 0
    for try await _ in disk.entries { count += 1 }
    return count
  }

  // MARK: In memory

  @Test func `applies the processors in their order, off the main actor`() async throws {
    let loader = loader(client([answer("a9")]))

    let image = try await loader.image(request(first(7), first(4))).value

    #expect(image.picture.size == PixelSize(width: 4, height: 1))
    #expect(image.picture.sourceSize == PixelSize(width: 9, height: 1))
    #expect(image.processors == [first(7), first(4)])
    #expect(runs.count == 2)
    #expect(!runs.wasOnMainThread)
    await #expect(throws: ImageError.self) {
      try await loader.image(request(first(4), .cropped(x: 5, y: 0, width: 1, height: 1))).value
    }
  }

  @Test func `caches each result by its list`() async throws {
    let loader = loader(client([answer("a9")]))
    for list in [[first(7)], [first(7), first(4)], [first(4), first(7)], []] {
      _ = try await loader.image(ImageRequest(try request().resource, processors: list)).value
    }
    let (decodings, processings) = (decoder.count, runs.count)

    let sizes = try [[first(7)], [first(7), first(4)], []]
      .map { loader.remembered(ImageRequest(try request().resource, processors: $0)) }
      .map { $0?.picture.size.width }
    _ = try await loader.image(request(first(7))).value

    #expect(sizes == [7, 4, 9])
    #expect(try loader.remembered(request(first(3))) == nil)
    #expect(decoder.count == decodings)
    #expect(runs.count == processings)
  }

  @Test func `processes the cached picture without decoding it again`() async throws {
    let loader = loader(client([answer("a9")]))
    _ = try await loader.image(request()).value

    let image = try await loader.image(request(first(2))).value

    #expect(image.picture.size.width == 2)
    #expect(decoder.count == 1)
  }

  @Test func `lets the decoder reduce for a resizing at the beginning`() async throws {
    let plans = PlanDecoder()
    let loader = loader(client([answer("a9")])) { $0.decoder = plans }
    let resizing = ImageProcessor.resized(width: 20, height: 10, .crop)
    let target = ImageTarget(width: 5, height: 5, scale: 2)

    _ = try await loader.image(request(resizing, .circle)).value
    _ = try await loader.image(request(.circle, resizing)).value
    let both = ImageRequest(try request().resource, target: target, processors: [resizing])
    _ = try await loader.image(both).value

    #expect(plans.targets == [ImageTarget(width: 20, height: 10, mode: .fill), nil, target])
  }

  private final class PlanDecoder: PictureDecoder {
    private let seen = Mutex<[ImageTarget?]>([])

    var targets: [ImageTarget?] { seen.withLock(\.self) }

    func decode(_ data: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture {
      seen.withLock { $0.append(plan.target) }
      return try LetterDecoder().decode(data, plan)
    }
  }

  @Test func `processes each frame of an animation, within the limits`() async throws {
    let size = PixelSize(width: 4, height: 4)
    let frames = [UInt8(10), 20, 30]
      .map { byte in
        Picture.Frame(
          Bitmap(trusted: size, Array(repeating: byte, count: 64)),
          duration: .milliseconds(Int64(byte))
        )
      }
    let picture = Picture(frames[0], others: [frames[1], frames[2]], repetitions: 3)
    let list = [ImageProcessor.resized(width: 2, height: 2), .tinted(.black, .overlay)]

    let result = try picture.processed(by: list, scale: 1, DecodingLimits())

    #expect(
      result.frames.map(\.bitmap.size) == Array(repeating: PixelSize(width: 2, height: 2), count: 3)
    )
    #expect(
      result.frames.map { $0.bitmap.pixels.prefix(4) } == [
        [0, 0, 0, 10], [0, 0, 0, 20], [0, 0, 0, 30],
      ]
    )
    #expect(result.frames.map(\.duration) == frames.map(\.duration))
    #expect(result.repetitions == 3)
    #expect(result.sourceSize == size)
    #expect(throws: ImageError.tooLarge(.memory(64 * 3 + 64 + 64 + 16))) {
      try picture.processed(by: list, scale: 1, DecodingLimits { $0.memory = 300 })
    }
  }

  @Test func `the columns of a blur count against the limits`() throws {
    let size = PixelSize(width: 1, height: 1_000)
    let picture = Picture(Bitmap(trusted: size, Array(repeating: 255, count: 4_000)))

    // The picture twice, the result, both passes, and three columns of sixteen bytes.
    #expect(throws: ImageError.tooLarge(.memory(3 * 4_000 + 8_000 + 48_000))) {
      try picture.processed(by: [.blurred(8)], scale: 1, DecodingLimits { $0.memory = 60_000 })
    }
  }

  @Test func `refuses what one's own processor makes too large or unequal`() throws {
    let bitmap = Bitmap(trusted: PixelSize(width: 1, height: 1), [0, 0, 0, 0])
    let sizes = Mutex(0)
    let growing = ImageProcessor.custom("growing") { _ in
      let side = sizes.withLock { size in
        size += 1
        return size
      }
      return Bitmap(
        trusted: PixelSize(width: side, height: 1),
        Array(repeating: 0, count: side * 4)
      )
    }
    let huge = ImageProcessor.custom("huge") { _ in
      Bitmap(trusted: PixelSize(width: 100, height: 1), Array(repeating: 0, count: 400))
    }
    let animation = Picture(Picture.Frame(bitmap), others: [Picture.Frame(bitmap)])

    #expect(
      throws: ImageError.processing("its frames have different sizes afterwards, 1×1 and 2×1")
    ) {
      try animation.processed(by: [growing], scale: 1, DecodingLimits())
    }
    #expect(throws: ImageError.tooLarge(.pixels(100))) {
      try Picture(bitmap).processed(by: [huge], scale: 1, DecodingLimits { $0.pixels = 99 })
    }
  }

  @Test func `draws a picture again that has other processors`() {
    func image(_ processors: [ImageProcessor]) -> LoadedImage {
      let image = LoadedImage.letter("a")
      return LoadedImage(image.picture, digest: image.digest, processors: processors)
    }

    #expect(image([.circle]).look == image([.circle]).look)
    #expect(image([.circle]).look != image([]).look)
    #expect(image([.tinted(.black)]).look != image([.tinted(.white)]).look)
  }

  @Test func `draws a picture again whose processors worked at another scale`() async throws {
    let loader = loader(client([answer("a9")]))
    func image(_ scale: Double) async throws -> LoadedImage {
      var request = try request(.tinted(.black))
      request.target = ImageTarget(width: 9, height: 1, scale: scale)
      return try await loader.image(request).value
    }

    let (one, two) = (try await image(1), try await image(2))

    #expect(one.picture.size == two.picture.size)
    #expect(one.look != two.look)
  }

  @Test func `says in the description of the load which processors it has`() throws {
    let loader = loader(client([answer("a9")]))

    let text = try loader.image(request(.rounded(8), .circle)).description

    #expect(text.contains("processors: [.rounded(8.0), .circle]"))
  }

  // MARK: On disk

  @Test func `finds a result on disk that another loader has stored`() async throws {
    let client = client([answer("a9")], disk: disk())
    _ = try await diskLoader(client).image(request(first(3))).value

    let image = try await diskLoader(client).image(request(first(3))).value

    #expect(image.picture.size == PixelSize(width: 3, height: 1))
    #expect(image.letter == "a")
    #expect(image.processors == [first(3)])
    #expect(runs.count == 1)
    #expect(decoder.count == 1)
    _ = try await diskLoader(client).image(request(first(4))).value
    #expect(runs.count == 2)
  }

  @Test func `stores no result on disk by default, or if nothing of it may be there`() async throws
  {
    let disk = disk()
    let client = client([answer("a9")], disk: disk)
    _ = try await loader(client) { $0.memory = nil }.image(request(first(3))).value
    var private3 = try request(first(3))
    private3.policy = ResourcePolicy(persistence: .nowhere)
    _ = try await diskLoader(client).image(private3).value

    #expect(try await count(disk) == 1)
  }

  @Test func `stores no result of a resource that is not on disk`() async throws {
    let disk = disk()
    let client = client([answer("a9", control: "no-store"), answer("a9")], disk: disk)

    _ = try await diskLoader(client).image(request(first(3))).value
    #expect(try await count(disk) == 0)

    _ = try await diskLoader(client).image(request(first(3))).value
    #expect(try await count(disk) == 2)
  }

  @Test func `stores no result on disk that is too long to be read`() async throws {
    let disk = disk()
    let loader = loader(client([answer("a9")], disk: disk)) {
      $0.memory = nil
      $0.processed = .inMemoryAndOnDisk
      $0.limits.bytes = 2
    }

    _ = try await loader.image(request(first(3))).value

    #expect(try await count(disk) == 1)
  }

  @Test func `removes a result with its resource`() async throws {
    let disk = disk()
    let client = client([answer("a9")], disk: disk)
    _ = try await diskLoader(client).image(request(first(3))).value
    #expect(try await count(disk) == 2)

    try await disk.remove(CacheKey(try request().resource))

    #expect(try await count(disk) == 0)
  }

  @Test func `processes again when the resource has other bytes, or forbids to be kept`()
    async throws
  {
    let disk = disk()
    let newer = answer("b9", eTag: "\"v2\"")
    let last = answer("c9", eTag: "\"v3\"", control: "no-store")
    let client = client([answer("a9"), newer, last], disk: disk)
    _ = try await diskLoader(client).image(request(first(3))).value
    clock.advance(by: .seconds(61))

    #expect(try await diskLoader(client).image(request(first(3))).value.letter == "b")
    #expect(try await count(disk) == 2)
    clock.advance(by: .seconds(61))

    #expect(try await diskLoader(client).image(request(first(3))).value.letter == "c")
    #expect(try await count(disk) == 0)
  }

  @Test func `shows a result only to whom the resource was given`() async throws {
    let disk = disk()
    let user = Mutex("Ada")
    let answers = ["a9", "b9"].map { answer($0, control: "private, max-age=60") }
    let client = Client {
      $0.transport = Signing(base: ScriptedTransport(sequence: answers)) { user.withLock(\.self) }
      $0.disk = disk
      $0.memory = nil
      $0.now = { [clock] in clock.date }
    }
    #expect(try await diskLoader(client).image(request(first(3))).value.letter == "a")

    user.withLock { $0 = "Bob" }
    #expect(try await diskLoader(client).image(request(first(3))).value.letter == "b")
    #expect(runs.count == 2)
    _ = try await diskLoader(client).image(request(first(3))).value
    #expect(runs.count == 2)
  }
}
