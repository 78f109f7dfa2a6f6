import Foundation
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import Freshet

/// Ranges of bytes in a disk store, asked for through calls and fetches over sockets.
@Suite(.timeLimit(.minutes(5))) struct StoredPartsTests {
  let sandbox = StoreSandbox()
  let clock = VirtualClock()
  let server: LoopbackServer
  let file = GeneratedBytes(length: 2_000_000, seed: 1)

  init() throws {
    server = try LoopbackServer()
    route(file, "\"v1\"")
  }

  private func route(_ bytes: GeneratedBytes, _ tag: String?, _ control: String? = "max-age=600") {
    server.route("/film", .generated(bytes, eTag: tag, cacheControl: control))
  }

  private var directory: URL { sandbox.url.appendingPathComponent("store") }

  private func launch(_ change: (inout DiskStore.Configuration) -> Void = { _ in }) -> Client {
    let disk = DiskStore(directory: directory, change)
    return Client {
      $0.disk = disk
      $0.now = { clock.date }
    }
  }

  private func get(
    _ client: Client,
    _ range: String?,
    _ headers: HTTPHeaders = [:],
    _ policy: ResourcePolicy = ResourcePolicy()
  ) async throws -> Response<Data> {
    var request = Request(.get, server.url("/film"), headers: headers)
    if let range { request.headers[.range] = range }
    return try await client.send(request) { $0.cache = policy }.value
  }

  private var asked: [String] { server.requests.map { $0.headers[.range] ?? "all" } }

  @Test func `concurrent ranges are all stored`() async throws {
    let client = launch()
    let starts = [0, 400_000, 800_000, 1_200_000, 1_600_000] as [Int64]
    for _ in 0..<2 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for start in starts {
          group.addTask {
            let response = try await get(client, "bytes=\(start)-\(start + 299_999)")
            #expect(response.value == file.bytes(in: start..<start + 300_000))
          }
        }
        try await group.waitForAll()
      }
    }

    #expect(asked.count == starts.count)
  }

  @Test func `a server that answers every range with 304 is asked a bounded number of times`()
    async throws
  {
    server.route("/film", .response(304, headers: [.eTag: "\"v1\""]))

    let response = try await get(launch(), "bytes=0-99")

    #expect(response.status == .notModified)
    #expect(server.requestCount <= 3)
  }

  @Test func `a server that answers an unconditional range with 304 is not asked for ever`()
    async throws
  {
    let client = launch()
    _ = try await get(client, "bytes=0-99")
    server.route("/film", .response(304, headers: [.eTag: "\"v1\""]))

    let response = try await get(client, "bytes=1000-1999")

    #expect(response.status == .notModified)
    #expect(server.requestCount <= 4)
  }

  @Test func `the limit of a body holds for a whole of which parts are stored`() async throws {
    let client = launch()
    _ = try await get(client, "bytes=0-1499999")
    var request = Request(server.url("/film"))
    request.limits.bodyBytes = 1_999_999

    let limit = FreshetError.Limit.bodyBytes(1_999_999)
    await #expect(throws: FreshetError.limitExceeded(limit, url: request.url.absoluteString)) {
      try await client.resource(request).value
    }

    request.limits.bodyBytes = 2_000_000
    #expect(try await client.resource(request).value.body.length == 2_000_000)
  }

  @Test func `stored parts are inherited in the progress of the whole`() async throws {
    let client = launch()
    _ = try await get(client, "bytes=0-1499999")

    var inherited: Set<Int64> = []
    for try await event in client.resource(at: server.url("/film")) {
      if case .progress(let progress) = event { inherited.insert(progress.inherited) }
    }

    #expect(inherited == [1_500_000])
  }

  @Test(arguments: [nil, "bytes=100-199"])
  func `where the network is required, stored parts are not used`(range: String?) async throws {
    let client = launch()
    _ = try await get(client, "bytes=0-1499999")

    let response = try await get(client, range, [:], .init { $0.network = .required })

    #expect(asked == ["bytes=0-1499999", range ?? "all"])
    #expect(server.requests.allSatisfy { !$0.headers.contains(.ifNoneMatch) })
    let wanted: Range<Int64> = range == nil ? 0..<2_000_000 : 100..<200
    #expect(response.value == file.bytes(in: wanted))
  }

  @Test func `a whole that is too large for the store is reported before its rest arrives`()
    async throws
  {
    let heard = Heard<String>()
    let disk = DiskStore(directory: directory) {
      $0.byteLimit = 1_000_000
    } onDiagnostic: {
      heard.append("\($0)")
    }
    let client = Client {
      $0.disk = disk
      $0.now = { clock.date }
    }
    _ = try await get(client, "bytes=0-999")
    #expect(heard.all.isEmpty)
    let gate = Gate()
    let answer = LoopbackServer.Answer.generated(file, eTag: "\"v1\"", cacheControl: "max-age=600")
    server.route("/film", answer.held(after: 0, until: gate))

    let running = client.resource(at: server.url("/film")).start()
    #expect(try await eventually { !heard.all.isEmpty })
    #expect(heard.all.first?.contains("2000000 bytes") == true, "\(heard.all)")
    gate.open()

    #expect(try await running.value.body.length == 2_000_000)
    #expect(heard.all.count == 1, "\(heard.all)")
  }

  /// A client of a server that has an encoded file, and ignores ranges except for the first five bytes; the
  /// transport decodes the response to a request without a range.
  private func encoding() -> (client: Client, transport: ScriptedTransport) {
    let transport = ScriptedTransport { request in
      var headers: HTTPHeaders = [.eTag: "\"v1\"", .cacheControl: "max-age=600"]
      switch request.headers[.range] {
      case nil:
        return ScriptedResponse(headers: headers, body: Data("waterfall!".utf8))
      case "bytes=0-4":
        headers[.contentRange] = "bytes 0-4/10"
        return ScriptedResponse(206, headers: headers, body: Data("water".utf8))
      default:
        headers[.contentEncoding] = "gzip"
        return ScriptedResponse(headers: headers, body: Data("encoded".utf8))
      }
    }
    let client = Client {
      $0.transport = transport
      $0.disk = DiskStore(directory: directory)
      $0.now = { clock.date }
    }
    return (client, transport)
  }

  @Test func `an encoded response to a range is delivered, and not stored as the whole`()
    async throws
  {
    let (client, transport) = encoding()
    let url = try #require(URL(string: "http://a.example/film"))

    let range = try await client.resource(Request(url, headers: [.range: "bytes=2-5"])).value
    let whole = try await client.resource(at: url).value

    #expect(try range.data() == Data("encoded".utf8))
    #expect(range.headers[.contentEncoding] == "gzip")
    #expect(try whole.data() == Data("waterfall!".utf8))
    #expect(transport.requests.map { $0.headers[.range] } == ["bytes=2-5", nil])
  }

  @Test func `bytes of a server that encodes its responses to ranges are those of the whole`()
    async throws
  {
    let client = encoding().client
    let url = try #require(URL(string: "http://a.example/film"))

    #expect(try await client.bytes(at: url).length == 10)
    #expect(try await client.resource(at: url).value.data() == Data("waterfall!".utf8))
  }

  @Test func `a whole is requested again if its missing part comes encoded`() async throws {
    let (client, transport) = encoding()
    let url = try #require(URL(string: "http://a.example/film"))
    _ = try await client.resource(Request(url, headers: [.range: "bytes=0-4"])).value

    for _ in 0..<2 {
      let whole = try await client.resource(at: url).value
      #expect(try whole.data() == Data("waterfall!".utf8))
      #expect(!whole.headers.contains(.contentEncoding))
    }

    #expect(transport.requests.map { $0.headers[.range] } == ["bytes=0-4", "bytes=5-9", nil])
  }

  @Test func `a part that is longer than its range is read up to its end`() async throws {
    let headers: HTTPHeaders = [
      .eTag: "\"v1\"", .cacheControl: "max-age=600", .contentRange: "bytes 0-4/10",
    ]
    let transport = ScriptedTransport { _ in
      .duplex(206, headers: headers) { peer in
        for _ in 0..<1_000 { try await peer.send("water") }
      }
    }
    let client = Client {
      $0.transport = transport
      $0.disk = DiskStore(directory: directory)
      $0.now = { clock.date }
    }
    let url = try #require(URL(string: "http://a.example/film"))

    let range = try await client.resource(Request(url, headers: [.range: "bytes=0-4"])).value

    #expect(try range.data() == Data("water".utf8))
    #expect(transport.counts.cancelled == 1 && transport.counts.started == 1)
  }

  @Test func `a range that is reloaded takes the place of the stored one`() async throws {
    let client = launch()
    _ = try await get(client, "bytes=0-1499999")
    let other = GeneratedBytes(length: 2_000_000, seed: 2)
    route(other, "\"v2\"")

    _ = try await get(client, "bytes=100-199", [:], .init { $0.network = .required })
    let count = server.requestCount
    let response = try await get(client, "bytes=100-199")

    #expect(response.value == other.bytes(in: 100..<200))
    #expect(server.requestCount == count)
  }

  @Test func `a part leaves a whole that only a cache which understands it may store`()
    async throws
  {
    let headers: HTTPHeaders = [
      .cacheControl: "must-understand, no-store, max-age=60", .eTag: "W/\"1\"",
    ]
    let part = headers.merging([.contentRange: "bytes 0-0/5"])
    let transport = ScriptedTransport { request in
      request.headers.contains(.range)
        ? ScriptedResponse(206, headers: part, body: Data("w".utf8))
        : ScriptedResponse(headers: headers, body: Data("water".utf8))
    }
    let memory = MemoryStore()
    let client = Client {
      $0.transport = transport
      $0.memory = memory
      $0.now = { clock.date }
    }
    var request = try Request("http://a.example/")
    _ = try await client.resource(request).value
    clock.advance(by: .seconds(61))

    request.headers[.range] = "bytes=0-0"
    _ = try await client.resource(request).value

    #expect(memory.count == 1)
  }

  @Test func `a range past the end of an unknown resource is empty`() async throws {
    let bytes = launch().bytes(at: server.url("/film"))

    #expect(try await bytes.read(5_000_000..<5_000_100).isEmpty)
    #expect(try await bytes.read(1_999_990..<2_000_100).count == 10)
  }

  @Test func `a file that was shortened ends at its new end`() async throws {
    route(file, "\"v1\"", "no-cache")
    let bytes = launch().bytes(at: server.url("/film"))
    _ = try await bytes.read(0..<100)
    route(GeneratedBytes(length: 1_000, seed: 2), "\"v2\"")

    #expect(try await bytes.read(1_500_000..<1_500_100).isEmpty)
    #expect(try await bytes.length == 1_000)
  }

  @Test func `a range of a longer version that is not the requested end is refused`() async throws {
    let client = launch()
    let old = GeneratedBytes(length: 1_000, seed: 2)
    route(old, "\"v1\"")
    _ = try await get(client, "bytes=-500")
    clock.advance(by: .seconds(601))
    let new = GeneratedBytes(length: 1_200, seed: 3)
    // The end of the version that is stored; other ranges are right.
    server.route(
      "/film",
      .handler { request in
        guard request.headers[.range] == "bytes=-500" else {
          return .generated(new, eTag: "\"v2\"", cacheControl: "max-age=600")
        }
        let headers: HTTPHeaders = [
          .eTag: "\"v2\"", .cacheControl: "max-age=600", .contentRange: "bytes 500-999/1200",
        ]
        return .response(206, headers: headers, body: new.bytes(in: 500..<1_000))
      }
    )

    let response = try await get(client, "bytes=-500")

    // The stale copy answers in its place.
    #expect(response.headers[.contentRange] == "bytes 500-999/1000")
    #expect(response.value == old.bytes(in: 500..<1_000))
  }

  @Test func `parts that are newer than an expired whole copy answer`() async throws {
    let client = launch()
    let whole = try await get(client, nil)
    #expect(whole.value.count == 2_000_000)
    clock.advance(by: .seconds(601))
    let new = GeneratedBytes(length: 2_000_000, seed: 2)
    route(new, "\"v2\"")

    for client in [client, client, launch()] {
      let response = try await get(client, "bytes=10-99")
      #expect(response.value == new.bytes(in: 10..<100))
    }

    #expect(asked == ["all", "bytes=10-99"])
  }

  @Test func `fresh parts answer a condition of the request`() async throws {
    let client = launch()
    _ = try await get(client, "bytes=0-999")

    let same = try await get(client, "bytes=0-99", [.ifNoneMatch: "\"v0\", W/\"v1\""])
    let other = try await get(client, "bytes=0-99", [.ifNoneMatch: "\"v0\""])
    #expect(same.status == .notModified && same.headers[.eTag] == "\"v1\"")
    #expect(same.value.isEmpty && same.headers[.contentRange] == nil)
    #expect(other.status == .partialContent && other.value == file.bytes(in: 0..<100))
    #expect(server.requestCount == 1)

    clock.advance(by: .seconds(601))
    let stale = try await get(client, "bytes=0-99", [.ifNoneMatch: "\"v1\""])
    #expect(stale.status == .notModified)
    #expect(server.requests.last?.headers[.ifNoneMatch] == "\"v1\"")
    #expect(server.requestCount == 2)
  }

  @Test(arguments: [ResourcePolicy.Persistence.nowhere, .memoryOnly])
  func `a policy without disk storage stores no parts`(
    persistence: ResourcePolicy.Persistence
  ) async throws {
    let policy = ResourcePolicy { $0.persistence = persistence }
    let client = launch()

    _ = try await get(client, "bytes=0-99", [:], policy)
    _ = try await get(client, "bytes=0-99", [:], policy)

    #expect(server.requestCount == 2)
    #expect(DirectoryEntry.names(in: directory.appendingPathComponent("parts").path).isEmpty)
  }

  @Test func `parts of a whole that is larger than the store still answer`()
    async throws
  {
    let client = launch { $0.byteLimit = 1_000_000 }
    _ = try await get(client, "bytes=0-999999")
    _ = try await get(client, "bytes=1000000-1999999")

    for client in [client, launch { $0.byteLimit = 1_000_000 }] {
      let response = try await get(client, nil)
      #expect(response.value == file.bytes(in: 0..<2_000_000))
      #expect(response.status == .ok)
    }
    #expect(asked == ["bytes=0-999999", "bytes=1000000-1999999"])
  }

  @Test func `a whole that stays in parts is compared once, and then by its readers`()
    async throws
  {
    let client = launch { $0.byteLimit = 1_000_000 }
    _ = try await get(client, "bytes=0-999999")
    _ = try await get(client, "bytes=1000000-1999999")
    let disk = try #require(client.configuration.disk)
    let key = CacheKey(Request(server.url("/film")))
    #expect(try await disk.find(key, for: [:])?.body.data() == file.bytes(in: 0..<2_000_000))
    let folder = directory.appendingPathComponent("parts")
    let name = try #require(DirectoryEntry.names(in: folder.path).first { $0.hasSuffix(".bytes") })
    let handle = try FileHandle(forWritingTo: folder.appendingPathComponent(name))
    try handle.write(contentsOf: Data("damage".utf8))
    try handle.close()

    let whole = try #require(await disk.find(key, for: [:]))

    #expect(throws: FreshetError.self) { try whole.body.data() }
    #expect(await disk.find(key, for: [:]) == nil)
  }

  @Test func `parts of a whole that cannot be stored answer, and stay`() async throws {
    let disk = DiskStore(directory: directory)
    let client = Client {
      $0.disk = disk
      $0.memory = nil
      $0.now = { clock.date }
    }
    _ = try await get(client, "bytes=0-999999")
    _ = try await get(client, "bytes=1000000-1999999")
    let bodies = directory.appendingPathComponent("bodies")
    try FileManager.default.removeItem(at: bodies)
    try Data().write(to: bodies)

    for _ in 0..<2 {
      #expect(try await get(client, nil).value == file.bytes(in: 0..<2_000_000))
    }
    #expect(server.requestCount == 2)

    try FileManager.default.removeItem(at: bodies)
    #expect(try await get(client, nil).value == file.bytes(in: 0..<2_000_000))
    #expect(try await disk.partEntries().isEmpty)
    #expect(server.requestCount == 2)
  }

  @Test func `parts whose whole has another SHA-512 than their server says are not used`()
    async throws
  {
    let wrong = Data(repeating: 7, count: 64).base64EncodedString()
    server.route(
      "/film",
      .handler { [file] request in
        let range = request.headers[.range].flatMap(ByteRange.init)
        let positions = range?.positions(in: file.length) ?? 0..<file.length
        var headers: HTTPHeaders = [.eTag: "\"v1\"", .cacheControl: "max-age=600"]
        guard range != nil else {
          return .response(200, headers: headers, body: file.bytes(in: positions))
        }
        headers["Repr-Digest"] = "sha-512=:\(wrong):"
        headers[.contentRange] =
          "bytes \(positions.lowerBound)-\(positions.upperBound - 1)/\(file.length)"
        return .response(206, headers: headers, body: file.bytes(in: positions))
      }
    )
    let client = launch()
    _ = try await get(client, "bytes=0-999999")
    _ = try await get(client, "bytes=1000000-1999999")

    #expect(try await get(client, nil).value == file.bytes(in: 0..<2_000_000))
    #expect(asked.last == "all")
  }

  @Test func `a stale copy stands in for a whole that cannot be written`() async throws {
    var spool = Spool(directory: URL(filePath: "/dev/null/spool"), threshold: 0)
    spool.memoryLimit = 0
    let request = Request(.get, server.url("/film"), headers: [.range: "bytes=0-99"])
    let context = FetchContext(request: request, partition: "")
    let copy = Fetch.Expired(
      context: context,
      response: try .sample(),
      source: .disk,
      uses: [.onError],
      explanation: Explanation()
    )
    let whole = ScriptedResponse(headers: [.contentLength: "5"], body: Data("water".utf8))
    let receiver = PartReceiver(
      Fetch.Wanted(context, fallback: copy),
      try #require(PartQuestion(request)),
      over: ScriptedTransport(sequence: [whole]),
      ReceivingOptions(spool: spool),
      PartShelf(directory: directory, survivesPower: false, limit: { 1 << 30 })
    )

    guard case .resource(let resource)? = try await receiver.next() else {
      Issue.record("no copy")
      return
    }
    #expect(resource.freshness == .stale && resource.isFinal)
  }

  @Test func `a partly stored whole is completed`() async throws {
    let client = launch()
    _ = try await get(client, "bytes=500000-999999")

    let response = try await get(client, nil)
    let again = try await get(launch(), nil)

    for response in [response, again] {
      #expect(response.status == .ok)
      #expect(response.headers[.contentRange] == nil)
      #expect(response.value == file.bytes(in: 0..<2_000_000))
    }
    #expect(asked == ["bytes=500000-999999", "bytes=0-499999", "bytes=1000000-1999999"])
  }

  @Test func `looking for expired parts does not renew them`() async throws {
    let client = launch()
    _ = try await get(client, "bytes=0-99")
    await client.configuration.disk?.close()
    let folder = directory.appendingPathComponent("parts")
    let log = try #require(DirectoryEntry.names(in: folder.path).first { $0.hasSuffix(".log") })
    let old = [timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
    utimensat(AT_FDCWD, folder.appendingPathComponent(log).path, old, 0)
    let shelf = PartShelf(directory: folder, survivesPower: false, limit: { 1 << 30 })

    shelf.sweep(now: Date(timeIntervalSince1970: 1_000_000 + 29 * 86_400))
    #expect(DirectoryEntry.names(in: folder.path).count == 2)
    shelf.sweep(now: Date(timeIntervalSince1970: 1_000_000 + 31 * 86_400))
    #expect(DirectoryEntry.names(in: folder.path).isEmpty)
  }

  @Test func `the files of parts are closed with their shelf`() async throws {
    let client = launch()
    _ = try await get(client, "bytes=0-99")
    let folder = directory.appendingPathComponent("parts")
    await client.configuration.disk?.close()
    // Those of the client's own shelf.
    let before = openDescriptors(below: folder)
    do {
      let shelf = PartShelf(directory: folder, survivesPower: false, limit: { 1 << 30 })
      #expect(shelf.all.map(\.total) == [2_000_000])
      withExtendedLifetime(shelf) { #expect(openDescriptors(below: folder) == before + 2) }
    }

    #expect(openDescriptors(below: folder) == before)
    withExtendedLifetime(client) {}
  }

  @Test func `a sweep removes bytes that belong to no parts, after a minute`() async throws {
    let client = launch()
    _ = try await get(client, "bytes=0-99")
    let folder = directory.appendingPathComponent("parts")
    let parts = Set(DirectoryEntry.names(in: folder.path))
    try Data("left".utf8).write(to: folder.appendingPathComponent("left.bytes"))
    let shelf = PartShelf(directory: folder, survivesPower: false, limit: { 1 << 30 })

    shelf.sweep(now: Date())
    #expect(Set(DirectoryEntry.names(in: folder.path)) == parts.union(["left.bytes"]))
    shelf.sweep(now: Date() + 3_600)
    #expect(Set(DirectoryEntry.names(in: folder.path)) == parts)
    #expect(try await get(client, "bytes=0-99").value == file.bytes(in: 0..<100))
    #expect(asked == ["bytes=0-99"])
  }

  @Test func `bytes that belong to no parts give way to others`() async throws {
    let folder = directory.appendingPathComponent("parts")
    let left = folder.appendingPathComponent("left.bytes")
    let client = launch { $0.partialByteLimit = 1_500_000 }
    _ = try await get(client, "bytes=0-99")
    try file.bytes(in: 0..<1_490_000).write(to: left)

    let later = launch { $0.partialByteLimit = 1_500_000 }
    _ = try await get(later, "bytes=100000-623999")

    #expect(!FileManager.default.fileExists(atPath: left.path))
    for _ in 0..<2 { _ = try await get(later, "bytes=100000-623999") }
    #expect(asked.count == 2)
  }

  @Test func `the least recently used parts are removed first`() async throws {
    let client = launch { $0.partialByteLimit = 1_500_000 }
    for path in ["/a", "/b", "/c"] {
      server.route(path, .generated(file, eTag: "\"v1\"", cacheControl: "max-age=600"))
    }
    func read(_ path: String, _ client: Client) async throws {
      let request = Request(.get, server.url(path), headers: [.range: "bytes=0-523999"])
      _ = try await client.resource(request).value
    }
    try await read("/a", client)
    try await Task.sleep(for: .milliseconds(20))
    try await read("/b", client)
    try await Task.sleep(for: .milliseconds(20))
    try await read("/a", client)
    try await Task.sleep(for: .milliseconds(20))
    try await read("/c", client)
    let count = server.requestCount
    #expect(count == 3)

    let later = launch()
    try await read("/a", later)
    #expect(server.requestCount == count)
    try await read("/b", later)
    #expect(server.requestCount == count + 1)
  }

  @Test func `the statistics count parts, the entries list them, and a verification reads them`()
    async throws
  {
    let client = launch()
    _ = try await get(client, "bytes=0-299999")
    _ = try await get(client, "bytes=300000-399999")
    _ = try await get(client, "bytes=1000000-1000099")
    let disk = try #require(client.configuration.disk)

    let statistics = try await disk.statistics()
    #expect(statistics.count == 0 && statistics.partCount == 1)
    #expect((400_000...500_000).contains(statistics.partBytes))
    let entry = try #require(try await disk.partEntries().first)
    #expect(entry.url == server.url("/film") && entry.length == 2_000_000)
    #expect(entry.ranges == [0..<400_000, 1_000_000..<1_000_100])
    let sound = try await disk.verify()
    #expect(sound.count == 0 && sound.bytes == 400_100 && sound.damaged.isEmpty)

    let folder = directory.appendingPathComponent("parts")
    let name = try #require(DirectoryEntry.names(in: folder.path).first { $0.hasSuffix(".bytes") })
    let handle = try FileHandle(forWritingTo: folder.appendingPathComponent(name))
    try handle.write(contentsOf: Data("damage".utf8))
    try handle.close()
    let damaged = try await disk.verify()
    #expect(damaged.damaged.map(\.url) == [server.url("/film").absoluteString])
    for disk in [disk, DiskStore(directory: directory)] {
      #expect(try await disk.verify().damaged.isEmpty)
      #expect(
        try await disk.partEntries().first?.ranges == [262_144..<400_000, 1_000_000..<1_000_100]
      )
    }
  }

  @Test func `a plan tells which bytes are missing, and sends nothing`() async throws {
    let client = launch()
    func plan(_ range: String?) async throws -> FetchPlan {
      var request = Request(server.url("/film"))
      if let range { request.headers[.range] = range }
      return try await client.chain(for: request).plan()
    }
    #expect(try await plan("bytes=0-99").request?.headers[.range] == "bytes=0-99")
    _ = try await get(client, "bytes=100-199")

    let stored = try await plan("bytes=110-119")
    let end = try await plan("bytes=150-299")
    let gap = try await plan("bytes=0-299")
    let whole = try await plan(nil)

    #expect(stored.request == nil)
    #expect(end.request?.headers[.range] == "bytes=200-299" && end.resumesAt == 200)
    #expect(gap.request?.headers[.range] == "bytes=0-99" && gap.resumesAt == nil)
    #expect(whole.request?.headers[.range] == "bytes=0-99" && whole.resumesAt == nil)
    clock.advance(by: .seconds(601))
    let stale = try await plan("bytes=110-119")
    #expect(stale.request?.headers[.ifNoneMatch] == "\"v1\"")
    #expect(server.requestCount == 1)
  }

  @Test func `a later part brings its fields with it`() async throws {
    let count = Mutex(0)
    server.route(
      "/film",
      .handler { [file] request in
        let number = count.withLock { count in
          count += 1
          return count
        }
        guard let range = request.headers[.range].flatMap(ByteRange.init),
          let positions = range.positions(in: file.length)
        else { return .status(500) }
        return .response(
          206,
          headers: [
            .eTag: "\"v1\"", .cacheControl: "max-age=600", "X-Number": "\(number)",
            HTTPHeaders.Name("X-\(number)"): "1",
            .contentRange:
              "bytes \(positions.lowerBound)-\(positions.upperBound - 1)/\(file.length)",
          ],
          body: file.bytes(in: positions)
        )
      }
    )
    let client = launch()
    _ = try await get(client, "bytes=0-99")
    _ = try await get(client, "bytes=100-199")

    for client in [client, launch()] {
      let response = try await get(client, "bytes=50-149")
      #expect(response.headers["X-Number"] == "2")
      #expect(response.headers["X-1"] == "1" && response.headers["X-2"] == "1")
    }
    #expect(server.requestCount == 2)
  }

  @Test func `asks for the rest when a server sends less than requested`() async throws {
    server.route(
      "/film",
      .handler { [file] request in
        guard let range = request.headers[.range].flatMap(ByteRange.init),
          let positions = range.positions(in: file.length)
        else { return .status(500) }
        let end = min(positions.upperBound, positions.lowerBound + 50_000)
        return .response(
          206,
          headers: [
            .eTag: "\"v1\"", .cacheControl: "max-age=600",
            .contentRange: "bytes \(positions.lowerBound)-\(end - 1)/\(file.length)",
          ],
          body: file.bytes(in: positions.lowerBound..<end)
        )
      }
    )

    for client in [launch(), Client { $0.memory = nil }] {
      let bytes = client.bytes(at: server.url("/film"))
      #expect(try await bytes.read(100_000..<700_000) == file.bytes(in: 100_000..<700_000))
    }
  }

  @Test func `many concurrent reads stay within the memory limit`() async throws {
    let client = Client { $0.memory = nil }
    let bytes = client.bytes(at: server.url("/film")) {
      $0.blockSize = 65_536
      $0.memoryLimit = 4 * 65_536
    }

    try await withThrowingTaskGroup(of: Void.self) { group in
      for start in stride(from: 0, to: 1_900_000, by: 100_000) as StrideTo<Int64> {
        group.addTask {
          let range = start..<min(start + 200_000, file.length)
          let data = try await bytes.read(range)
          #expect(await bytes.blocks.heldBytes <= 4 * 65_536)
          #expect(data == file.bytes(in: range))
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `a stream has the bytes of one version although the file changes`() async throws {
    let bytes = launch().bytes(at: server.url("/film")) { $0.readAhead = 0 }
    var iterator = bytes.chunks().makeAsyncIterator()
    let first = try await iterator.next()
    route(GeneratedBytes(length: 2_000_000, seed: 2), "\"v2\"")
    // Somebody else finds the new version first.
    _ = try await bytes.read(1_000_000..<1_500_000)

    #expect(first == file.bytes(in: 0..<262_144))
    await #expect(throws: FreshetError.self) {
      while try await iterator.next() != nil {}
    }
  }
}
