import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

@testable import FreshetImages

@Suite struct ImageLoaderTests {
  let clock = VirtualClock()
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func loader(
    _ transport: some Transport,
    _ configure: (inout ImageLoader.Configuration) -> Void = { _ in }
  ) -> ImageLoader {
    let clock = clock
    let client = Client {
      $0.transport = transport
      $0.now = { clock.date }
    }
    return ImageLoader(client) {
      $0.decoder = LetterDecoder()
      configure(&$0)
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

  private var notModified: ScriptedResponse {
    ScriptedResponse(304, headers: [.eTag: "\"v1\"", .cacheControl: "max-age=60"])
  }

  private func request(_ path: String = "a") throws -> ImageRequest {
    ImageRequest(try Request("http://a.example/\(path)"))
  }

  private func phases(
    _ loader: ImageLoader,
    _ request: ImageRequest,
    _ options: ImageOptions = ImageOptions()
  ) async -> [String] {
    var words: [String] = []
    for await phase in loader.image(request, options: options) {
      if case .loading = phase { continue }
      words.append(phase.words)
    }
    return words
  }

  @Test func `shows the placeholder and then the picture`() async throws {
    let loader = loader(ScriptedTransport(sequence: [answer("a1")]))

    #expect(await phases(loader, try request()) == ["placeholder", "image a appeared"])
  }

  @Test func `reports the progress of the transfer`() async throws {
    let gate = Gate()
    let chunks = [Data("a".utf8), Data("1".utf8)]
    let response = ScriptedResponse(headers: [.contentLength: "2"], chunks: chunks)
      .waiting(for: gate, at: .afterChunks(1))
    var iterator = loader(ScriptedTransport(sequence: [response]))
      .image(try request()).makeAsyncIterator()

    var progress: TransferProgress?
    while progress?.completed != 1, let phase = await iterator.next() {
      if case .loading(let current) = phase { progress = current }
    }
    gate.open()

    #expect(progress == TransferProgress(completed: 1, total: 2))
    _ = await iterator.next()
  }

  @Test func `a page in the place of a picture is validated by the next load`() async throws {
    let page = answer("<html>", eTag: "\"portal\"", control: "max-age=86400")
    let transport = ScriptedTransport(sequence: [page, answer("a1")])
    let loader = loader(transport)
    let request = try request()

    let first = await phases(loader, request)
    let second = await phases(loader, request)
    let third = await phases(loader, request)

    #expect(first == ["placeholder", "failure"])
    #expect(second == ["placeholder", "image a appeared"])
    #expect(third == ["preview a", "image a unchanged"])
    #expect(transport.requests.map { $0.headers[.ifNoneMatch] } == [nil, "\"portal\""])
  }

  @Test func `a page on the disk is validated by the next launch`() async throws {
    let page = answer("<html>", control: "max-age=86400")
    let transport = ScriptedTransport(sequence: [page, answer("a1", eTag: "\"v2\"")])
    let (clock, directory) = (clock, folder.url)
    func load() async throws -> [String] {
      let disk = DiskStore(directory: directory, now: { clock.date })
      let client = Client {
        $0.transport = transport
        $0.now = { clock.date }
        $0.disk = disk
      }
      let loader = ImageLoader(client) { $0.decoder = LetterDecoder() }
      let words = await phases(loader, try request())
      await disk.close()
      return words
    }

    #expect(try await load() == ["placeholder", "failure"])
    #expect(try await load() == ["placeholder", "image a appeared"])
  }

  @Test func `a page in the place of a picture that never expires is loaded again`() async throws {
    let transport = ScriptedTransport(sequence: [answer("<html>"), answer("a1")])
    let loader = loader(transport)
    var request = try request()
    request.policy = ResourcePolicy(expiry: .never)
    var offline = request
    offline.policy?.network = .forbidden

    #expect(await phases(loader, request) == ["placeholder", "failure"])
    #expect(await phases(loader, request) == ["placeholder", "image a appeared"])
    #expect(await phases(loader, offline) == ["preview a", "image a unchanged"])
    #expect(transport.requests.count == 2)
  }

  @Test func `a load without a network removes no copy that never expires`() async throws {
    let transport = ScriptedTransport(sequence: [answer("<html>")])
    let loader = loader(transport)
    var request = try request()
    _ = try await loader.client.resource(request.resource).value
    request.policy = ResourcePolicy(expiry: .never, network: .forbidden)

    #expect(await phases(loader, request) == ["placeholder", "failure"])
    let copy = loader.client.configuration.memory?.peek(request.resource)
    #expect(copy != nil)
  }

  @Test func `a page in the place of a picture expires in a shared store too`() async throws {
    let page = answer("<html>", eTag: "\"portal\"", control: "max-age=86400")
    let transport = ScriptedTransport(sequence: [page, answer("a1", eTag: "\"v2\"")])
    let clock = clock
    let client = Client {
      $0.transport = transport
      $0.now = { clock.date }
      $0.memory = nil
      $0.shared = LocalSharedStore()
    }
    let loader = ImageLoader(client) { $0.decoder = LetterDecoder() }

    #expect(await phases(loader, try request()) == ["placeholder", "failure"])
    #expect(await phases(loader, try request()) == ["placeholder", "image a appeared"])
    #expect(transport.requests.map { $0.headers[.ifNoneMatch] } == [nil, "\"portal\""])
  }

  @Test func `a load that stores in memory only leaves a copy on the disk`() async throws {
    let page = answer("<html>", control: "max-age=86400")
    let disk = DiskStore(directory: folder.url, now: { [clock] in clock.date })
    let clock = clock
    let client = Client {
      $0.transport = ScriptedTransport(sequence: [page])
      $0.now = { clock.date }
      $0.disk = disk
    }
    let loader = ImageLoader(client) { $0.decoder = LetterDecoder() }
    var request = try request()
    _ = try await client.resource(request.resource).value
    let stored = await disk.find(CacheKey(request.resource), for: [:])
    request.policy = ResourcePolicy(persistence: .memoryOnly)

    #expect(await phases(loader, request) == ["placeholder", "failure"])
    let left = await disk.find(CacheKey(request.resource), for: [:])
    #expect(left?.requestTime == stored?.requestTime && left != nil)
    await disk.close()
  }

  @Test func `a load that stores nothing leaves a copy that is no picture`() async throws {
    let transport = ScriptedTransport(sequence: [answer("<html>"), answer("a1")])
    let loader = loader(transport)
    var request = try request()
    _ = try await loader.client.resource(request.resource).value
    request.policy = ResourcePolicy(persistence: .nowhere)

    #expect(await phases(loader, request) == ["placeholder", "failure"])
    #expect(await phases(loader, request) == ["placeholder", "failure"])
    #expect(transport.requests.count == 1)
  }

  @Test func `shows the local copy during its validation, and keeps it if it is confirmed`()
    async throws
  {
    let loader = loader(ScriptedTransport(sequence: [answer("a1"), notModified]))
    _ = await phases(loader, try request())
    clock.advance(by: .seconds(61))

    #expect(await phases(loader, try request()) == ["preview a", "image a unchanged"])
  }

  @Test func `shows a stale copy of the stores although nothing is decoded yet`() async throws {
    let transport = ScriptedTransport(sequence: [answer("a1"), answer("b1", eTag: "\"v2\"")])
    let loader = loader(transport) { $0.memory = nil }
    _ = await phases(loader, try request())
    clock.advance(by: .seconds(61))

    let shown = await phases(loader, try request())

    #expect(shown == ["placeholder", "preview a", "image b replaced"])
  }

  @Test func `a preview is from memory, and stale once its response has expired`() async throws {
    let later = HTTPDate.format(clock.date.addingTimeInterval(61))
    let confirmation = ScriptedResponse(
      304,
      headers: [.eTag: "\"v1\"", .cacheControl: "max-age=60", .date: later]
    )
    let loader = loader(ScriptedTransport(sequence: [answer("a1"), confirmation]))
    _ = await phases(loader, try request())
    let fresh = try #require(loader.remembered(try request()))
    clock.advance(by: .seconds(61))
    let stale = try #require(loader.remembered(try request()))
    _ = await phases(loader, try request())
    let confirmed = try #require(loader.remembered(try request()))

    #expect([fresh, stale, confirmed].map(\.freshness) == [.fresh, .stale, .fresh])
    #expect([fresh, stale, confirmed].allSatisfy { $0.source == .memory && !$0.isFinal })
  }

  @Test func `ends the transfer of a file that is too long to be decoded`() async throws {
    let chunks = [Data(count: 8), Data(count: 8), Data(count: 8)]
    let transport = ScriptedTransport { [gate = Gate()] _ in
      ScriptedResponse(chunks: chunks).waiting(for: gate, at: .afterChunks(2))
    }
    let loader = loader(transport) { $0.limits.bytes = 10 }

    await #expect(throws: ImageError.tooLarge(.bytes(16))) {
      try await loader.image(try request()).value
    }

    #expect(await transport.counted { $0.cancelled == 1 })
  }

  @Test func `the body of a request is not counted as a long file`() async throws {
    let server = try LoopbackServer()
    server.route("/a", .text("a1"))
    let loader = loader(DefaultTransport()) { $0.limits.bytes = 10 }
    var request = ImageRequest(server.url("/a"))
    request.resource.method = .post
    request.resource.body = .bytes(Data(count: 1_000))

    #expect(try await loader.image(request).value.letter == "a")
  }

  @Test func `withholds the local copy on request`() async throws {
    let loader = loader(ScriptedTransport(sequence: [answer("a1"), notModified]))
    _ = await phases(loader, try request())
    clock.advance(by: .seconds(61))

    let options = ImageOptions {
      $0.local = .withheld
      $0.completion = .always
    }
    let shown = await phases(loader, try request(), options)

    #expect(shown == ["placeholder", "image a appeared"])
  }

  @Test(arguments: ["max-age=60, must-revalidate", "no-cache", "no-store"])
  func `shows no early copy that forbids stale use`(control: String) async throws {
    let transport = ScriptedTransport(sequence: [answer("a1", control: control)])
    let loader = loader(transport)
    _ = await phases(loader, try request())
    clock.advance(by: .seconds(61))

    #expect(loader.remembered(try request()) == nil)
    #expect(await phases(loader, try request()) == ["placeholder", "image a appeared"])
  }

  @Test func `never stores a decoded picture whose response has no-store`() async throws {
    let loader = loader(ScriptedTransport(sequence: [answer("a1", control: "no-store")]))

    _ = await phases(loader, try request())

    #expect(loader.configuration.memory?.count == 0)
  }

  @Test(arguments: [
    (ScriptedResponse(304, headers: [.eTag: "\"v1\"", .cacheControl: "no-cache"]), 1),
    (ScriptedResponse(headers: [.cacheControl: "no-store"], body: Data("b1".utf8)), 0),
    (ScriptedResponse(headers: [.cacheControl: "no-store"], body: Data("a1".utf8)), 0),
  ])
  func `removes a picture when a newer response forbids storing or showing it early`(
    newer: ScriptedResponse,
    count: Int
  ) async throws {
    let loader = loader(ScriptedTransport(sequence: [answer("a1", control: "max-age=0"), newer]))
    _ = await phases(loader, try request())
    #expect(loader.remembered(try request())?.letter == "a")

    _ = await phases(loader, try request())

    #expect(loader.remembered(try request()) == nil)
    #expect(loader.configuration.memory?.count == count)
  }

  @Test func `remembers no picture with another digest than the expected one`() async throws {
    let loader = loader(ScriptedTransport(sequence: [answer("a1")]))
    var request = try request()
    let digest = try await loader.image(request).value.digest
    let other = try #require(SHA256Checksum(bytes: Data(count: 32)))

    request.policy = ResourcePolicy(expected: .sha256(digest))
    #expect(loader.remembered(request)?.letter == "a")
    request.policy = ResourcePolicy(expected: .sha256(other))
    #expect(loader.remembered(request) == nil)
  }

  @Test func `remembers no picture of a seed for a policy that ignores seeds`() async throws {
    let clock = clock
    let shipping = loader(ScriptedTransport(sequence: [answer("a1")])).client
    var builder = try SeedBuilder(directory: folder.url)
    _ = try builder.add(await shipping.resource(try request().resource).value.response)
    try builder.write()
    let client = Client {
      $0.transport = ScriptedTransport(sequence: [.failure(.connection(.refused, url: ""))])
      $0.seeds = SeedStore(directory: folder.url)
      $0.now = { clock.date }
    }
    var ignoring = try request()
    ignoring.policy = ResourcePolicy(seeds: .ignored)

    // The second loader gets the copy that the memory store has taken over.
    for _ in 0..<2 {
      let loader = ImageLoader(client) { $0.decoder = LetterDecoder() }
      _ = await phases(loader, try request())
      #expect(loader.remembered(try request())?.letter == "a")
      #expect(loader.remembered(ignoring) == nil)
    }
  }

  @Test func `a policy that stores nothing leaves cached pictures unchanged`() async throws {
    let transport = ScriptedTransport(sequence: [answer("a1"), answer("b1", eTag: "\"v2\"")])
    let loader = loader(transport)
    _ = await phases(loader, try request())
    clock.advance(by: .seconds(61))
    var passing = try request()
    passing.policy = ResourcePolicy(persistence: .nowhere)

    #expect(await phases(loader, passing) == ["preview a", "image b replaced"])

    #expect(loader.remembered(try request())?.letter == "a")
    #expect(loader.configuration.memory?.count == 1)
  }

  @Test func `an older response does not replace the picture of a newer one`() async throws {
    let transport = ScriptedTransport(sequence: [answer("a1"), answer("b1", eTag: "\"v2\"")])
    let loader = loader(transport)
    let request = try request()
    let identity = request.identity(for: loader.client)
    let older = try await loader.client.resource(request.resource).value
    clock.advance(by: .seconds(61))
    let newer = try await loader.client.resource(request.resource).value

    _ = try await loader.workshop.picture(of: newer, for: identity)
    _ = try await loader.workshop.picture(of: older, for: identity)

    #expect(loader.remembered(request)?.letter == "b")
  }

  @Test func `ends with the failure and the visible picture`() async throws {
    let loader = loader(ScriptedTransport(sequence: [answer("a1"), answer("broken")]))
    _ = await phases(loader, try request())
    clock.advance(by: .seconds(61))

    #expect(await phases(loader, try request()) == ["preview a", "failure, showing a"])
  }

  @Test func `shows the stale copy if the origin is down`() async throws {
    let down = ScriptedResponse.failure(.connection(.refused, url: ""))
    let loader = loader(ScriptedTransport(sequence: [answer("a1"), down]))
    _ = await phases(loader, try request())
    clock.advance(by: .seconds(61))

    #expect(await phases(loader, try request()) == ["preview a", "image a unchanged"])
  }

  @Test func `throws the reason for a missing picture`() async throws {
    let loader = loader(ScriptedTransport(sequence: [ScriptedResponse(404)]))
    let request = try request()

    await #expect(throws: ImageError.self) { try await loader.image(request).value }
  }

  @Test func `decodes the same bytes once for a request`() async throws {
    let decoder = CountingDecoder()
    let loader = loader(ScriptedTransport(sequence: [answer("a1"), notModified])) {
      $0.decoder = decoder
    }
    _ = await phases(loader, try request())
    clock.advance(by: .seconds(61))
    _ = await phases(loader, try request())

    #expect(decoder.count == 1)
    #expect(decoder.wasOnMainThread == false)
  }

  /// A picture in two pieces, of which the second waits.
  private func halved(_ gate: Gate) -> ScriptedResponse {
    ScriptedResponse(headers: [.contentLength: "2"], chunks: [Data("a".utf8), Data("1".utf8)])
      .waiting(for: gate, at: .afterChunks(1))
  }

  private func readHalf(_ iterator: inout ImageSequence.Iterator) async {
    while let phase = await iterator.next() {
      if case .loading(let progress) = phase, progress.completed == 1 { return }
    }
    Issue.record("it has ended")
  }

  private func readLast(_ iterator: inout ImageSequence.Iterator) async -> String? {
    var last: String?
    while let phase = await iterator.next() { last = phase.words }
    return last
  }

  @Test func `shares one transfer and one decoding among equal requests`() async throws {
    let gate = Gate()
    let decoder = CountingDecoder()
    let transport = ScriptedTransport(sequence: [halved(gate)])
    let loader = loader(transport) { $0.decoder = decoder }
    var one = loader.image(try request()).makeAsyncIterator()
    var two = loader.image(try request()).makeAsyncIterator()
    await readHalf(&one)
    await readHalf(&two)

    gate.open()

    #expect(await readLast(&one) == "image a appeared")
    #expect(await readLast(&two) == "image a appeared")
    #expect(transport.counts.started == 1)
    #expect(decoder.count == 1)
  }

  @Test(arguments: ImageOptions.Arrival.allCases)
  func `shows the received part on request`(arrival: ImageOptions.Arrival) async throws {
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [halved(gate)])
    let loader = loader(transport) { $0.decoder = EagerDecoder(gate: gate) }
    let options = ImageOptions { $0.arrival = arrival }
    if arrival == .hidden { gate.open() }

    let shown = await phases(loader, try request(), options)

    let arriving = arrival == .shown ? ["arriving 1×1"] : []
    #expect(shown == ["placeholder"] + arriving + ["image a appeared"])
  }

  @Test func `begins with the part that an earlier load has stored`() async throws {
    let (clock, gate) = (clock, Gate())
    let fields: HTTPHeaders = [
      .eTag: "\"v1\"", .cacheControl: "max-age=60", .date: HTTPDate.format(clock.date),
    ]
    let half = ScriptedResponse(
      headers: fields.merging([.contentLength: "2"]),
      chunks: [Data("a".utf8)]
    )
    .failing(with: .connection(.lost, url: ""), at: .afterChunks(1))
    let rest = ScriptedResponse(
      206,
      headers: fields.merging([.contentLength: "1", .contentRange: "bytes 1-1/2"]),
      body: Data("1".utf8)
    )
    .waiting(for: gate, at: .afterChunks(0))
    let client = Client {
      $0.transport = ScriptedTransport(sequence: [half, rest])
      $0.disk = DiskStore(directory: folder.url)
      $0.memoryThreshold = 1
      $0.now = { clock.date }
    }
    let loader = ImageLoader(client) { $0.decoder = EagerDecoder(gate: nil) }
    var request = try request()
    request.policy = ResourcePolicy { $0.resumptions = 0 }
    #expect(await phases(loader, request).last == "failure")

    let options = ImageOptions { $0.arrival = .shown }
    var iterator = loader.image(request, options: options).makeAsyncIterator()
    _ = await iterator.next()
    let first = await iterator.next()
    gate.open()

    #expect(first?.words == "arriving 1×1")
    #expect(await readLast(&iterator) == "image a appeared")
  }

  @Test(.timeLimit(.minutes(5)))
  func `decodes the received part only when it has doubled`() async throws {
    let gate = Gate()
    let decoder = EagerDecoder(gate: gate)
    let chunks = Array(repeating: Data("a".utf8), count: 64)
    let response = ScriptedResponse(chunks: chunks).waiting(for: gate, at: .afterChunks(1))
    let loader = loader(ScriptedTransport(sequence: [response])) { $0.decoder = decoder }

    _ = await phases(loader, try request(), ImageOptions { $0.arrival = .shown })

    #expect(decoder.lengths.first == 1)
    #expect(decoder.lengths.count <= 7)
    #expect(zip(decoder.lengths, decoder.lengths.dropFirst()).allSatisfy { $0 * 2 <= $1 })
  }

  /// A decoder to whom the first letter is enough, and which then lets the rest come.
  private final class EagerDecoder: PictureDecoder {
    private let gate: Gate?
    private let seen = Mutex<[Int]>([])

    init(gate: Gate?) { self.gate = gate }

    var lengths: [Int] { seen.withLock(\.self) }

    func decode(_ data: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture {
      try LetterDecoder().decode(data, plan)
    }

    func preview(of beginning: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture? {
      seen.withLock { $0.append(beginning.count) }
      gate?.open()
      return try decode(beginning.prefix(1) + Data("1".utf8), plan)
    }
  }

  @Test func `continues for the others when a reader leaves`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [halved(gate)])
    let loader = loader(transport)
    var staying = loader.image(try request()).makeAsyncIterator()
    var leaving: ImageSequence.Iterator? = loader.image(try request()).makeAsyncIterator()
    await readHalf(&staying)
    if leaving != nil { await readHalf(&leaving!) }

    leaving = nil
    gate.open()

    #expect(await readLast(&staying) == "image a appeared")
    #expect(transport.counts.cancelled == 0)
    #expect(transport.counts.started == 1)
  }

  @Test func `shows a decoded picture only to readers who may have its response`() async throws {
    let user = Mutex("Ada")
    let transport = ScriptedTransport(
      sequence: [answer("a1", control: "private, max-age=60"), answer("b1")]
    )
    let loader = loader(Signing(base: transport, user: { user.withLock(\.self) }))
    _ = await phases(loader, try request())
    #expect(loader.remembered(try request())?.letter == "a")

    user.withLock { $0 = "Bob" }

    #expect(loader.remembered(try request()) == nil)
    #expect(await phases(loader, try request()) == ["placeholder", "image b appeared"])
  }

  @Test func `ends the transfer with its last reader`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [answer("a1").waiting(for: gate)])
    let loader = loader(transport)
    let request = try request()
    let task = Task { try? await loader.image(request).value }
    await gate.waiting()

    task.cancel()

    #expect(await task.value == nil)
    #expect(await transport.counted { $0.cancelled == 1 })
  }

  @Test func `continues without readers on request`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [answer("a1").waiting(for: gate)])
    let loader = loader(transport)
    let request = try request()
    let options = ImageOptions { $0.abandonment = .finish }
    let task = Task { try? await loader.image(request, options: options).value }
    await gate.waiting()

    task.cancel()
    _ = await task.value
    gate.open()

    #expect(await transport.counted { $0.finished == 1 })
    #expect(await phases(loader, request).last?.hasPrefix("image a") == true)
    #expect(transport.counts.started == 1)
  }

  @Test func `loads through a client alone`() async throws {
    let transport = ScriptedTransport(sequence: [answer("broken")])
    let client = Client { $0.transport = transport }
    var last: ImagePhase?

    for await phase in client.image(at: try request().resource.url) { last = phase }

    #expect(last?.error != nil)
  }
}

extension ImagePhase {
  var words: String {
    switch self {
    case .placeholder: "placeholder"
    case .loading(let progress): "loading \(progress.completed)"
    case .arriving(let picture): "arriving \(picture.size)"
    case .preview(let image): "preview \(image.letter)"
    case .image(let image, let change): "image \(image.letter) \(change)"
    case .failure(_, let image): "failure" + (image.map { ", showing \($0.letter)" } ?? "")
    }
  }
}

/// A shared store without a server.
private struct LocalSharedStore: SharedResourceStore {
  private let base = MemoryStore()

  let source = Resource.Source.shared
  var removals: AsyncStream<StoreRemoval> { AsyncStream { $0.finish() } }

  func find(_ key: CacheKey, for headers: HTTPHeaders) async -> StoredResponse? {
    await base.find(key, for: headers)
  }

  func keep(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    try await base.keep(response)
  }

  func refresh(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    try await base.refresh(response)
  }

  func remove(_ key: CacheKey) async throws(FreshetError) {
    await base.remove(key)
  }
}
