import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

/// Bytes by range, from a real server.
@Suite(.timeLimit(.minutes(5))) struct RemoteBytesTests {
  let sandbox = StoreSandbox()
  let server: LoopbackServer
  /// 2 GiB with `FRESHET_LARGE_FILE`, sparse in the store.
  static let length: Int64 =
    ProcessInfo.processInfo.environment["FRESHET_LARGE_FILE"] == nil ? 24 << 20 | 77 : 2 << 30 | 77
  let file = GeneratedBytes(length: Self.length, seed: 1)

  init() throws {
    server = try LoopbackServer()
    route(file, "\"v1\"")
  }

  private func route(_ bytes: GeneratedBytes, _ tag: String?, _ control: String? = "max-age=600") {
    server.route("/film", .generated(bytes, eTag: tag, cacheControl: control))
  }

  private var directory: URL { sandbox.url.appendingPathComponent("store") }

  /// A client as a launch makes it.
  private func launch(_ directory: URL? = nil) -> Client {
    let directory = directory ?? self.directory
    return Client {
      $0.disk = DiskStore(directory: directory)
      $0.memory = nil
    }
  }

  private func ranges() -> [String] { server.requests.compactMap { $0.headers[.range] } }

  private func fetch(_ client: Client, _ range: String) async throws -> Resource {
    try await client.resource(Request(server.url("/film"), headers: [.range: range])).value
  }

  /// The bytes that were asked for more than once.
  private func repeated() -> [Range<Int64>] {
    let asked = ranges().compactMap { ByteRange($0)?.positions(in: Self.length) }
      .sorted { $0.lowerBound < $1.lowerBound }
    return zip(asked, asked.dropFirst()).filter { $0.overlaps($1) }.map(\.1)
  }

  @Test
  func `reads the file's bytes at random places, and nothing twice in several launches`()
    async throws
  {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<3 {
      let bytes = launch().bytes(at: server.url("/film"))
      #expect(try await bytes.length == Self.length)
      for _ in 0..<60 {
        let start = Int64.random(in: 0..<Self.length, using: &generator)
        let range = start..<min(Self.length, start + .random(in: 1..<400_000, using: &generator))
        #expect(try await bytes.read(range) == file.bytes(in: range))
      }
    }
    #expect(repeated().isEmpty)
  }

  @Test func `leaves out bytes past the end, and refuses positions before the beginning`()
    async throws
  {
    let bytes = launch().bytes(at: server.url("/film"))

    #expect(try await bytes.read(Self.length - 10..<Self.length + 10).count == 10)
    #expect(try await bytes.read(Self.length..<Self.length + 10).isEmpty)
    #expect(try await bytes.read(5..<5).isEmpty)
    await #expect(throws: FreshetError.self) { try await bytes.read(-1..<5) }
  }

  @Test func `streams a range, and reads ahead of it`() async throws {
    let range: Range<Int64> = 100_000..<5_000_000
    var read = Data()
    var count = 0

    for try await chunk in launch().bytes(at: server.url("/film")).chunks(in: range) {
      read += chunk
      count += 1
      guard count == 2 else { continue }
      // More than the two that have been read.
      #expect(try await eventually { ranges().count > 2 })
    }

    #expect(read == file.bytes(in: range))
    #expect(repeated().isEmpty)
  }

  @Test func `reads ahead of two readers that take turns`() async throws {
    let bytes = launch().bytes(at: server.url("/film"))
    var first = bytes.chunks(in: 0..<4 << 20).makeAsyncIterator()
    var second = bytes.chunks(in: 8 << 20..<12 << 20).makeAsyncIterator()

    for _ in 0..<2 {
      #expect(try await first.next() != nil)
      #expect(try await second.next() != nil)
    }

    // More than the four that have been read.
    #expect(try await eventually { ranges().count > 4 })
  }

  @Test func `a slow reader with little memory fetches each block once`() async throws {
    let client = Client { $0.memory = nil }
    let bytes = client.bytes(at: server.url("/film")) {
      $0.blockSize = 64 << 10
      $0.memoryLimit = 1 << 20
    }

    var chunks = bytes.chunks(in: 0..<3_000_000).makeAsyncIterator()
    while try await chunks.next() != nil {
      // What is read ahead arrives meanwhile.
      for _ in 0..<300 { await Task.yield() }
    }

    #expect(repeated().isEmpty)
  }

  @Test func `a stored range answers, and a partly stored one is completed`()
    async throws
  {
    _ = try await fetch(launch(), "bytes=100-199")
    let client = launch()

    let stored = try await fetch(client, "bytes=120-149")
    let partly = try await fetch(client, "bytes=50-249")

    #expect(stored.source == .disk)
    #expect(try stored.data() == file.bytes(in: 120..<150))
    #expect(stored.status == .partialContent)
    #expect(stored.headers[.contentRange] == "bytes 120-149/\(Self.length)")
    #expect(try partly.data() == file.bytes(in: 50..<250))
    #expect(ranges() == ["bytes=100-199", "bytes=50-99", "bytes=200-249"])
  }

  @Test func `parts that make the whole are the whole`() async throws {
    let small = GeneratedBytes(length: 100_000, seed: 3)
    route(small, "\"v1\"")
    let client = launch()
    _ = try await fetch(client, "bytes=-40000")
    _ = try await fetch(client, "bytes=0-59999")

    let whole = try await client.resource(at: server.url("/film")).value
    let later = try await launch().resource(at: server.url("/film")).value

    #expect(server.requestCount == 2)
    for resource in [whole, later] {
      #expect(resource.source == .disk)
      #expect(resource.status == .ok)
      #expect(try resource.data() == small.bytes(in: 0..<100_000))
    }
  }

  @Test func `parts that are stale are confirmed without their bytes`() async throws {
    route(file, "\"v1\"", "no-cache")
    let client = launch()
    _ = try await fetch(client, "bytes=0-99")

    let again = try await fetch(client, "bytes=0-99")

    #expect(again.freshness == .revalidated)
    #expect(try again.data() == file.bytes(in: 0..<100))
    #expect(server.requests.last?.headers[.ifNoneMatch] == "\"v1\"")
    #expect(server.bytesWritten(path: "/film") < 1_000)
  }

  @Test func `reading a changed file returns the new version`() async throws {
    let bytes = launch().bytes(at: server.url("/film"))
    _ = try await bytes.read(0..<600_000)
    let new = GeneratedBytes(length: Self.length - 1_000, seed: 2)
    route(new, "\"v2\"")

    let read = try await bytes.read(0..<3_000_000)
    let later = try await launch().bytes(at: server.url("/film")).read(0..<3_000_000)

    #expect(read == new.bytes(in: 0..<3_000_000))
    #expect(later == read)
    #expect(try await bytes.length == new.length)
  }

  @Test func `a stream of a file that changes ends with an error`() async throws {
    let bytes = launch().bytes(at: server.url("/film")) { $0.readAhead = 0 }
    var iterator = bytes.chunks().makeAsyncIterator()
    #expect(try await iterator.next() != nil)
    route(GeneratedBytes(length: Self.length, seed: 2), "\"v2\"")

    await #expect(
      throws: FreshetError.corrupted(
        expected: "\"v1\"",
        actual: "\"v2\"",
        url: server.url("/film").absoluteString
      )
    ) {
      while try await iterator.next() != nil {}
    }
  }

  @Test func `a stream goes on when the server ignores a range of the same version`() async throws {
    let answer = LoopbackServer.Answer.generated(file, eTag: "\"v1\"", cacheControl: nil)
    let whole = file.bytes(in: 0..<Self.length)
    server.route(
      "/film",
      .handler {
        $0.headers[.range]?.hasPrefix("bytes=0-") == true
          ? answer : .response(200, headers: [.eTag: "\"v1\""], body: whole)
      }
    )
    let client = Client { $0.memory = nil }

    var received = Data()
    for try await chunk in client.bytes(at: server.url("/film")).chunks() { received += chunk }

    #expect(received == whole)
  }

  @Test func `blocks of one URL with several signatures are put together`() async throws {
    server.route("/v1", .generated(file, eTag: "\"v1\""))
    let signed = (1...9).map { LoopbackServer.Answer.redirect(to: "/v1?signature=\($0)") }
    server.route("/film", .sequence(signed))
    let bytes = Client { $0.memory = nil }.bytes(at: server.url("/film"))

    #expect(try await bytes.read(0..<600_000) == file.bytes(in: 0..<600_000))

    // A redirect and a response for each of three blocks.
    #expect(server.requestCount == 6)
  }

  @Test func `ranges of two versions are not put together`() async throws {
    let client = launch()
    _ = try await fetch(client, "bytes=0-99")
    let new = GeneratedBytes(length: Self.length, seed: 2)
    route(new, "\"v2\"")

    let read = try await fetch(client, "bytes=50-149")

    #expect(try read.data() == new.bytes(in: 50..<150))
    #expect(ranges() == ["bytes=0-99", "bytes=100-149", "bytes=50-149"])
  }

  @Test(arguments: [nil, "W/\"v1\""])
  func `a resource without ranges or a strong validator is fetched completely`(
    tag: String?
  ) async throws {
    let small = GeneratedBytes(length: 3_000_000, seed: 3)
    if tag == nil {
      server.route(
        "/film",
        .response(
          .ok,
          headers: [.cacheControl: "max-age=600"],
          body: small.bytes(in: 0..<3_000_000)
        )
      )
    } else {
      route(small, tag)
    }
    let bytes = launch().bytes(at: server.url("/film"))

    #expect(try await bytes.read(1_000_000..<1_500_000) == small.bytes(in: 1_000_000..<1_500_000))
    #expect(try await bytes.read(0..<100) == small.bytes(in: 0..<100))
    #expect(server.requestCount == (tag == nil ? 1 : 2))
    let later = launch().bytes(at: server.url("/film"))
    #expect(try await later.read(2_000_000..<2_100_000) == small.bytes(in: 2_000_000..<2_100_000))
    #expect(server.requestCount == (tag == nil ? 1 : 2))
  }

  @Test func `concurrent readings of the same blocks share one request`() async throws {
    let client = launch()
    let (first, second) = (
      client.bytes(at: server.url("/film")), client.bytes(at: server.url("/film"))
    )

    try await withThrowingTaskGroup(of: Data.self) { group in
      for bytes in [first, second, first, second] {
        group.addTask { try await bytes.read(0..<1_000_000) }
      }
      for try await data in group { #expect(data == file.bytes(in: 0..<1_000_000)) }
    }

    #expect(repeated().isEmpty)
    #expect(ranges().count == 4)
  }

  @Test func `requests bytes again that the disk has lost`() async throws {
    _ = try await fetch(launch(), "bytes=0-99999")
    let folder = directory.appendingPathComponent("parts")
    let name = try #require(DirectoryEntry.names(in: folder.path).first { $0.hasSuffix(".bytes") })
    try Data(count: 100_000).write(to: folder.appendingPathComponent(name))

    let read = try await fetch(launch(), "bytes=10-19")

    #expect(try read.data() == file.bytes(in: 10..<20))
    #expect(ranges().count == 2)
  }

  @Test func `a torn line loses only its segment`() async throws {
    _ = try await fetch(launch(), "bytes=0-99")
    _ = try await fetch(launch(), "bytes=300000-300099")
    let folder = directory.appendingPathComponent("parts")
    let name = try #require(DirectoryEntry.names(in: folder.path).first { $0.hasSuffix(".log") })
    let log = folder.appendingPathComponent(name)
    try Data(contentsOf: log).dropLast(20).write(to: log)
    let client = launch()

    #expect(try await fetch(client, "bytes=0-99").source == .disk)
    #expect(try await fetch(client, "bytes=300000-300099").source == .network)
    #expect(try await fetch(launch(), "bytes=300000-300099").source == .disk)
  }

  @Test func `received bytes of an interrupted range are not requested again`() async throws {
    server.route(
      "/film",
      .generated(file, eTag: "\"v1\"", cacheControl: "max-age=600").truncated(after: 700_000)
    )
    let client = launch()
    let policy = ResourcePolicy { $0.resumptions = 0 }
    let request = try Request(.get, server.url("/film").absoluteString)
    var ranged = request
    ranged.headers[.range] = "bytes=0-999999"
    await #expect(throws: FreshetError.self) {
      try await client.resource(ranged, policy: policy).value
    }
    route(file, "\"v1\"")

    let read = try await fetch(launch(), "bytes=0-999999")

    #expect(try read.data() == file.bytes(in: 0..<1_000_000))
    #expect(ranges() == ["bytes=0-999999", "bytes=700000-999999"])
  }

  @Test func `a removed or invalidated resource has no parts`() async throws {
    let store = DiskStore(directory: directory)
    let client = Client {
      $0.disk = store
      $0.memory = nil
    }
    let key = CacheKey(Request(server.url("/film")))
    for remove in [
      { await store.invalidate(key, at: Date()) }, { try await store.remove(key) },
      { try await store.removeAll() }, { try await store.removeAll(prefix: "http://127.0.0.1") },
    ] as [() async throws -> Void] {
      _ = try await fetch(client, "bytes=0-99")
      let count = server.requestCount
      #expect(try await fetch(client, "bytes=0-99").source == .disk)
      #expect(server.requestCount == count)
      try await remove()
      #expect(try await fetch(client, "bytes=0-99").source == .network)
      try await store.removeAll()
    }
  }

  @Test func `parts stay within their limit`() async throws {
    var configuration = DiskStore.Configuration()
    configuration.partialByteLimit = 2 << 20
    let store = DiskStore(directory: directory, configuration: configuration)
    let client = Client {
      $0.disk = store
      $0.memory = nil
    }
    let bytes = client.bytes(at: server.url("/film"))

    #expect(try await bytes.read(0..<6_000_000) == file.bytes(in: 0..<6_000_000))

    let parts = directory.appendingPathComponent("parts")
    let name = try #require(
      DirectoryEntry.names(in: parts.path).first { $0.hasSuffix(".bytes") }
    )
    var status = stat()
    stat(parts.appendingPathComponent(name).path, &status)
    #expect(1 << 20...2 << 20 ~= Int64(status.st_blocks) * 512)
  }

  @Test func `a cancelled read ends immediately`() async throws {
    let gate = Gate()
    server.route("/film", .generated(file, eTag: "\"v1\"").delayed(until: gate))
    let bytes = launch().bytes(at: server.url("/film"))
    let task = Task { try await bytes.read(0..<100) }
    #expect(await gate.waiting())

    task.cancel()

    await #expect(throws: FreshetError.cancelled) { try await task.value }
    gate.open()
  }

  @Test func `a cancelled read also ends the fetches that it would need next`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport { request in
      guard let range = request.headers[.range].flatMap(ByteRange.init),
        let positions = range.positions(in: 100_000)
      else { return ScriptedResponse(500) }
      let part = ScriptedResponse(
        206,
        headers: [
          .contentRange: "bytes \(positions.lowerBound)-\(positions.upperBound - 1)/100000",
          .eTag: "\"v1\"",
        ],
        body: Data(count: positions.count)
      )
      return positions.lowerBound == 0 ? part : part.waiting(for: gate)
    }
    let client = Client {
      $0.transport = transport
      $0.memory = nil
    }
    let bytes = client.bytes(at: try #require(URL(string: "http://a.example/film"))) {
      $0.blockSize = 4_096
      $0.memoryLimit = 16 * 4_096
      $0.readAhead = 0
    }
    _ = try await bytes.read(0..<1)
    let task = Task { try await bytes.read(0..<40_000) }
    #expect(await gate.waiting(count: 4))

    task.cancel()

    await #expect(throws: FreshetError.cancelled) { try await task.value }
    await transport.counted { $0.cancelled == 4 }
  }

  @Test func `the length of a resource that always changes is a failure`() async throws {
    let transport = ScriptedTransport { request in
      guard let range = request.headers[.range].flatMap(ByteRange.init),
        let positions = range.positions(in: 1_000_000)
      else { return ScriptedResponse(500) }
      let start = positions.lowerBound
      return ScriptedResponse(
        206,
        headers: [.contentRange: "bytes \(start)-\(start)/1000000", .eTag: "\"\(UUID())\""],
        body: Data([1])
      )
    }
    let client = Client {
      $0.transport = transport
      $0.memory = nil
    }
    let bytes = client.bytes(at: try #require(URL(string: "http://a.example/film")))

    let error = await #expect(throws: FreshetError.self) { try await bytes.length }

    #expect(error?.kind == "invalidResponse")
    #expect(transport.counts.started <= 20)
  }

  @Test func `a read succeeds while a cancelled one of the same bytes ends`() async throws {
    let (response, ending) = (Gate(), Gate())
    let transport = ScriptedTransport { _ in
      ScriptedResponse(
        206,
        headers: [.contentRange: "bytes 0-9/10", .eTag: "\"v1\""],
        body: Data("0123456789".utf8)
      )
      .waiting(for: response)
    }
    let client = Client {
      $0.transport = transport
      $0.memory = nil
      $0.coalescer = nil
      $0.editChain = { $0.inserting(HeldFailure(gate: ending), after: .download) }
    }
    let bytes = client.bytes(at: try #require(URL(string: "http://a.example/film")))
    let cancelled = Task { try await bytes.read(0..<5) }
    #expect(await response.waiting())
    cancelled.cancel()
    #expect(await ending.waiting())

    let read = Task { try await bytes.read(0..<5) }
    #expect(await transport.counted { $0.started == 2 })
    ending.open()
    // The end of the cancelled fetch comes before the response of the other one.
    for _ in 0..<1_000 { await Task.yield() }
    response.open()

    #expect(try await read.value == Data("01234".utf8))
    await #expect(throws: FreshetError.cancelled) { try await cancelled.value }
  }

  @Test func `holds at most the blocks that its memory allows`() async throws {
    let client = Client { $0.memory = nil }
    let bytes = client.bytes(at: server.url("/film")) {
      $0.blockSize = 65_536
      $0.memoryLimit = 131_072
    }

    #expect(try await bytes.read(0..<2_000_000) == file.bytes(in: 0..<2_000_000))
    #expect(await bytes.blocks.heldBytes <= 131_072)
    for start in stride(from: 0, to: 1_000_000, by: 50_000) as StrideTo<Int64> {
      let range = start..<start + 50_000
      #expect(try await bytes.read(range) == file.bytes(in: range))
      #expect(await bytes.blocks.heldBytes <= 131_072)
    }
  }
}

/// A stage that holds failures at a gate, those of cancelled tasks as well.
private struct HeldFailure: FetchStage {
  let gate: Gate

  var handles: Fetch.Kinds { .failure }

  func reply(to failure: FreshetError) async throws(FreshetError) -> Fetch.Reply {
    _ = await Task { try? await gate.enter() }.value
    return .pass
  }
}
