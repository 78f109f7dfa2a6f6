import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

/// Where a body goes when it cannot go to a file, and what may not be seen of it.
@Suite struct SpoolPlacesTests {
  let world = ClientWorld()
  let sandbox = StoreSandbox()

  static let bytes = noise(3 << 20)

  private var directory: URL { sandbox.url.appendingPathComponent("store") }

  /// A body in pieces, which has not arrived whole until the gate opens.
  private func response(_ control: String, until gate: Gate? = nil) -> ScriptedResponse {
    let pieces = stride(from: 0, to: Self.bytes.count, by: 1 << 20)
      .map { Self.bytes[$0..<min($0 + 1 << 20, Self.bytes.count)] }
    let response = ScriptedResponse(
      headers: [.cacheControl: control, .eTag: "\"v1\"", .date: HTTPDate.format(world.clock.date)],
      chunks: pieces
    )
    return gate.map { response.waiting(for: $0, at: .afterChunks(2)) } ?? response
  }

  private func client(_ response: ScriptedResponse) -> Client {
    world.client(ScriptedTransport(sequence: [response])) {
      $0.disk = DiskStore(directory: directory)
      $0.memory = nil
    }
  }

  // MARK: - What may not be stored

  @Test(arguments: ["no-store", "max-age=60, no-store", "max-age=60"])
  func `a body that may not be stored never has a file name`(
    control: String
  ) async throws {
    let mayRest = control == "max-age=60"
    let gate = Gate()
    var last: Resource?
    for try await event in client(response(control, until: gate)).resource(try world.request) {
      switch event {
      case .progress(let progress) where progress.completed == 2 << 20:
        let files = sandbox.files(in: "store/spool") + sandbox.files(in: "store/partial")
        #expect(files.isEmpty == !mayRest)
        #expect(openDescriptors(below: directory.appendingPathComponent("spool")) > 0 || mayRest)
        gate.open()
      case .progress:
        break
      case .value(let resource):
        last = resource
      }
    }

    let resource = try #require(last)
    #expect(sandbox.files(in: "store/spool").isEmpty)
    #expect((resource.body.fileURL != nil) == mayRest)
    #expect(try resource.data().elementsEqual(Self.bytes))
    #expect(sandbox.files(in: "store/bodies").count == (mayRest ? 1 : 0))
  }

  @Test func `an unlinked body can be copied to a file and stored`() async throws {
    let resource = try await client(response("no-store")).resource(try world.request).value
    let copy = sandbox.url.appendingPathComponent("copy")

    try resource.body.write(to: copy)
    let store = DiskStore(directory: sandbox.url.appendingPathComponent("other"))
    _ = try await store.keep(try .sample(body: resource.body))

    #expect(try Data(contentsOf: copy) == Self.bytes)
    #expect(try await store.find(.sample(), for: [:])?.body.data() == Self.bytes)
  }

  // MARK: - A directory that vanishes

  @Test(arguments: ["max-age=60", "no-store"])
  func `a body arrives completely although its directory is removed`(control: String) async throws {
    let gate = Gate()
    let client = client(response(control, until: gate))
    var data: Data?
    for try await event in client.resource(try world.request) {
      switch event {
      case .progress(let progress) where progress.completed == 2 << 20:
        try FileManager.default.removeItem(at: directory)
        gate.open()
      case .progress:
        break
      case .value(let resource):
        data = try resource.data()
      }
    }

    #expect(data?.elementsEqual(Self.bytes) == true)
  }

  // MARK: - A disk that takes no more

  @Test(arguments: ["partial", "spool"])
  func `a body continues in memory when its file cannot grow`(kind: String) async throws {
    switch kind {
    case "partial":
      await #expect(processExitsWith: .success) { try await Self.fetchWithSmallFiles("max-age=60") }
    default:
      await #expect(processExitsWith: .success) { try await Self.fetchWithSmallFiles("no-store") }
    }
  }

  /// Files take two mebibytes in this process, and a body has three.
  private static func fetchWithSmallFiles(_ control: String) async throws {
    let tests = SpoolPlacesTests()
    let client = tests.client(tests.response(control))
    // The store has its files before they are limited.
    try await client.configuration.disk?.open()
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: 2 << 20, rlim_max: rlim_t.max)
    guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(2) }

    let resource = try await client.resource(try tests.world.request).value

    let isRight = try resource.data() == bytes && resource.body.fileURL == nil
    exitTest(isRight, removing: tests.sandbox.url)
  }

  @Test func `a place to which a body cannot be copied keeps nothing of it`() async {
    await #expect(processExitsWith: .success) {
      let tests = SpoolPlacesTests()
      let other = tests.sandbox.url.appendingPathComponent("other")
      var spool = Spool(directory: tests.directory, threshold: 0)
      spool.fallback = other
      let writer = try SpoolWriter(spool)
      try writer.append(SpoolPlacesTests.bytes.prefix(1_500_000))
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 1 << 20, rlim_max: rlim_t.max)
      guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(2) }

      try writer.append(SpoolPlacesTests.bytes.dropFirst(1_500_000))

      let isRight = try writer.finish().body.data() == SpoolPlacesTests.bytes
      let left = tests.sandbox.files()
      exitTest(isRight && left.isEmpty, removing: tests.sandbox.url)
    }
  }

  @Test func `without a free descriptor the response is delivered and not stored`() async {
    await #expect(processExitsWith: .success) {
      let heard = Heard<DiskStore.Diagnostic>()
      let tests = SpoolPlacesTests()
      let disk = DiskStore(directory: tests.directory, onDiagnostic: { heard.append($0) })
      let small = tests.world.response("small")
      let client = tests.world.client(
        ScriptedTransport(sequence: [small, tests.response("max-age=60"), small, small])
      ) {
        $0.disk = disk
        $0.memory = nil
      }
      _ = try await client.resource(try Request("http://a.example/stored")).value
      await disk.writer.rest()
      var limit = rlimit(rlim_cur: 0, rlim_max: 1_024)
      guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(2) }

      let large = try await client.resource(try Request("http://a.example/large")).value
      let isRight = try large.data() == SpoolPlacesTests.bytes
      // What is open already goes on.
      let stored = try await client.resource(try Request("http://a.example/stored")).value
      for number in 0..<20 { _ = await disk.find(try .sample("http://x/\(number)"), for: [:]) }
      limit.rlim_cur = 1_024
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)

      let isTold = heard.all.count <= 2
      let isBack = try await disk.keep(try .sample()).digest != nil
      let isKept = await disk.find(try .sample("http://a.example/stored"), for: [:]) != nil
      let isMissing = await disk.find(try .sample("http://a.example/large"), for: [:]) == nil
      exitTest(
        isRight && stored.source == .disk && isTold && isBack && isKept && isMissing,
        removing: tests.sandbox.url
      )
    }
  }

  @Test func `the memory that stands in for a file is bounded`() throws {
    let file = sandbox.url.appendingPathComponent("file")
    try Data().write(to: file)
    var spool = Spool(directory: file.appendingPathComponent("spool"), threshold: 10)
    spool.memoryLimit = 1_000
    let writer = try SpoolWriter(spool)
    try writer.append(noise(900))

    #expect(throws: FreshetError.self) { try writer.append(noise(101)) }
    #expect(throws: FreshetError.self) { try SpoolWriter(spool, expectedLength: 1_001) }
  }

  @Test func `the stale copy replaces a response that cannot be buffered`() async throws {
    let huge = ScriptedResponse(
      headers: [.contentLength: "4000000000000000000"],
      body: Data("a".utf8)
    )
    let client = world.client(
      ScriptedTransport(sequence: [world.response("old", control: "max-age=1"), huge])
    )
    _ = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(10))

    let resource = try await client.resource(try world.request).value

    #expect(resource.freshness == .stale)
    #expect(try resource.text == "old")
  }

  // MARK: - The default directory

  @Test func `the first body in the default directory removes leftovers of ended processes`() async
  {
    await #expect(processExitsWith: .success) {
      let sandbox = StoreSandbox()
      setenv("TMPDIR", sandbox.url.path, 1)
      let directory = Spool.defaultDirectory
      guard directory.path.hasPrefix(sandbox.url.path) else { exit(2) }
      try PrivateDirectory.make(directory.deletingLastPathComponent().path)
      try PrivateDirectory.make(directory.path)
      let left = SpoolFile.place(in: directory)
      try Data("left".utf8).write(to: left)

      let writer = try SpoolWriter(Spool(threshold: 0))
      try writer.append(Data("new".utf8))

      let files = sandbox.files()
      let isOther = files.count == 1 && !files[0].hasSuffix(left.lastPathComponent)
      exitTest(isOther, removing: sandbox.url)
    }
  }

  @Test func `a temporary directory that does not exist is not made`() async {
    await #expect(processExitsWith: .success) {
      setenv("TMPDIR", "/nonexistent", 1)

      exit(Spool.defaultDirectory.path.hasPrefix("/tmp/freshet-") ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test func `uses no default directory that other users can change`() async {
    await #expect(processExitsWith: .success) {
      let sandbox = StoreSandbox()
      setenv("TMPDIR", sandbox.url.path, 1)
      let parent = Spool.defaultDirectory.deletingLastPathComponent()
      guard mkdir(parent.path, 0o777) == 0, chmod(parent.path, 0o777) == 0 else { exit(2) }

      let writer = try SpoolWriter(Spool(threshold: 0))
      try writer.append(Data("new".utf8))

      let body = try writer.finish().body
      let isRight = try sandbox.files().isEmpty && body.data() == Data("new".utf8)
      exitTest(isRight, removing: sandbox.url)
    }
  }
}
