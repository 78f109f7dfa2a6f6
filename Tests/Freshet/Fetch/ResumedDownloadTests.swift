import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Transfers that break, and what becomes of them.
@Suite struct ResumedDownloadTests {
  let world = ClientWorld()
  let sandbox = StoreSandbox()

  static let bytes = noise(3 << 20)
  static let lost = FreshetError.connection(.lost, url: ClientWorld.url)
  static let half = 2_000_000

  private var directory: URL { sandbox.url.appendingPathComponent("store") }

  private func client(_ transport: ScriptedTransport) -> Client {
    world.client(transport) {
      $0.disk = DiskStore(directory: directory)
      $0.memory = nil
    }
  }

  private func headers(_ more: HTTPHeaders = [:]) -> HTTPHeaders {
    let own: HTTPHeaders = [
      .eTag: "\"v1\"", .cacheControl: "max-age=60", .date: HTTPDate.format(world.clock.date),
      .contentLength: String(Self.bytes.count),
    ]
    return own.merging(more)
  }

  /// The whole, which breaks off after some bytes.
  private func broken(after count: Int = half, _ more: HTTPHeaders = [:]) -> ScriptedResponse {
    let chunks = stride(from: 0, to: count, by: 65_536)
      .map { Self.bytes[$0..<min($0 + 65_536, count)] }
    return ScriptedResponse(headers: headers(more), chunks: chunks)
      .failing(with: Self.lost, at: .afterChunks(chunks.count))
  }

  private func rest(from position: Int = half, _ more: HTTPHeaders = [:]) -> ScriptedResponse {
    let own: HTTPHeaders = [
      .contentRange: "bytes \(position)-\(Self.bytes.count - 1)/\(Self.bytes.count)",
      .contentLength: String(Self.bytes.count - position),
    ]
    return ScriptedResponse(
      206,
      headers: headers(own).merging(more),
      body: Self.bytes[position...]
    )
  }

  private func whole(_ more: HTTPHeaders = [:]) -> ScriptedResponse {
    ScriptedResponse(headers: headers(more), body: Self.bytes)
  }

  private func fetch(_ client: Client, resumptions: Int = 3) async throws -> Resource {
    try await client.resource(
      try world.request,
      policy: ResourcePolicy { $0.resumptions = resumptions }
    )
    .value
  }

  private var partial: [String] { sandbox.files(in: "store/partial") }

  // MARK: Within one fetch

  @Test func `an interrupted transfer resumes where it broke`() async throws {
    let transport = ScriptedTransport(sequence: [broken(), rest()])

    let resource = try await fetch(client(transport))

    #expect(try resource.data().elementsEqual(Self.bytes))
    #expect(resource.status == 200)
    #expect(resource.headers[.contentLength] == String(Self.bytes.count))
    #expect(resource.headers.contains(.contentRange) == false)
    let asked = transport.requests[1].headers
    #expect(asked[.range] == "bytes=\(Self.half)-" && asked[.ifRange] == "\"v1\"")
    #expect(resource.explanation.contains(.resumed(from: Int64(Self.half))))
    #expect(resource.explanation.contains(.stored(.disk)))
    #expect(partial.isEmpty)
  }

  @Test func `an interrupted transfer is not stored as a whole one`() async throws {
    let (memory, disk) = (MemoryStore(), DiskStore(directory: directory))
    let client = world.client(ScriptedTransport(sequence: [broken()])) {
      ($0.memory, $0.disk) = (memory, disk)
    }

    await #expect(throws: FreshetError.self) { try await fetch(client, resumptions: 0) }

    #expect(memory.count == 0)
    #expect(try await disk.statistics().count == 0)
    #expect(!partial.isEmpty)
  }

  @Test func `progress includes the bytes that had arrived`() async throws {
    var progress: [TransferProgress] = []
    for try await event in client(ScriptedTransport(sequence: [broken(), rest()]))
      .resource(try world.request)
    {
      if case .progress(let step) = event { progress.append(step) }
    }

    #expect(progress.last?.completed == Int64(Self.bytes.count))
    #expect(progress.map(\.completed) == progress.map(\.completed).sorted())
    #expect(Set(progress.map(\.total)) == [Int64(Self.bytes.count)])
  }

  @Test func `a small body resumes without any store`() async throws {
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(headers: [.eTag: "\"v1\""], chunks: [Data("ab".utf8), Data("cd".utf8)])
        .failing(with: Self.lost, at: .afterChunks(1)),
      ScriptedResponse(
        206,
        headers: [.eTag: "\"v1\"", .contentRange: "bytes 2-3/4"],
        body: Data("cd".utf8)
      ),
    ])

    let resource = try await Fetch.request(try world.request).download(over: transport).settle()
      .value

    #expect(try resource.text == "abcd")
    #expect(transport.requests[1].headers[.range] == "bytes=2-")
  }

  @Test func `a body that arrived in one piece before the break resumes`() async throws {
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(
        headers: [.eTag: "\"v1\"", .contentLength: "4"],
        chunks: [Data("abcd".utf8)]
      )
      .failing(with: Self.lost, at: .afterChunks(1)),
      ScriptedResponse(
        206,
        headers: [.eTag: "\"v1\"", .contentRange: "bytes 3-3/4"],
        body: Data("d".utf8)
      ),
    ])

    let resource = try await Fetch.request(try world.request).download(over: transport).settle()
      .value

    #expect(try resource.text == "abcd")
    #expect(transport.requests[1].headers[.range] == "bytes=3-")
  }

  @Test func `bytes after the announced length of a small body are not lost`() async throws {
    let response = ScriptedResponse(
      headers: [.contentLength: "2"],
      chunks: [Data("ab".utf8), Data("cd".utf8)]
    )
    let transport = ScriptedTransport(sequence: [response])

    let resource = try await Fetch.request(try world.request).download(over: transport).settle()
      .value

    #expect(try resource.text == "abcd")
  }

  @Test func `resumes up to the limit as long as each attempt brings bytes`() async throws {
    let step = 700_000
    let pieces = (1...3)
      .map { number in
        ScriptedResponse(
          206,
          headers: headers([
            .contentRange: "bytes \(number * step)-\(Self.bytes.count - 1)/\(Self.bytes.count)",
            .contentLength: String(Self.bytes.count - number * step),
          ]),
          chunks: [Self.bytes[number * step..<(number + 1) * step]]
        )
        .failing(with: Self.lost, at: .afterChunks(1))
      }
    let transport = ScriptedTransport(
      sequence: [broken(after: step)] + pieces + [rest(from: 4 * step)]
    )

    let error = await #expect(throws: FreshetError.self) { try await fetch(client(transport)) }
    #expect(error == Self.lost)
    #expect(transport.counts.started == 4)
    #expect(try await fetch(client(transport)).data() == Self.bytes)
    #expect(transport.requests.last?.headers[.range] == "bytes=\(4 * step)-")
  }

  @Test func `a transfer that brings no bytes is not resumed again`() async throws {
    let transport = ScriptedTransport(sequence: [
      broken(), rest().failing(with: Self.lost, at: .afterChunks(0)),
    ])

    await #expect(throws: FreshetError.self) { try await fetch(client(transport)) }

    #expect(transport.counts.started == 2)
  }

  @Test(arguments: [[.eTag: "W/\"v1\""], [.contentEncoding: "gzip"]] as [HTTPHeaders])
  func `without a strong validator it is not resumed`(headers: HTTPHeaders) async throws {
    let transport = ScriptedTransport(sequence: [broken(headers), whole()])

    await #expect(throws: FreshetError.self) { try await fetch(client(transport)) }

    #expect(transport.counts.started == 1)
    #expect(partial.isEmpty)
  }

  @Test(arguments: ["identity", ""])
  func `RFC 9110 8.4.1: a body whose coding is identity is resumed`(coding: String) async throws {
    let headers: HTTPHeaders = [.contentEncoding: coding]
    let transport = ScriptedTransport(sequence: [broken(headers), rest(from: Self.half, headers)])

    let resource = try await fetch(client(transport))

    #expect(try resource.data() == Self.bytes)
    #expect(resource.headers[.contentLength] == String(Self.bytes.count))
    #expect(transport.requests[1].headers[.range] == "bytes=\(Self.half)-")
  }

  private func broken(_ more: HTTPHeaders) -> ScriptedResponse { broken(after: Self.half, more) }

  // MARK: Servers that do otherwise

  @Test func `a complete response replaces the partial body`() async throws {
    let other = noise(1_500_000, seed: 2)
    let transport = ScriptedTransport(sequence: [
      broken(),
      ScriptedResponse(
        headers: headers([.eTag: "\"v2\"", .contentLength: String(other.count)]),
        body: other
      ),
    ])

    let resource = try await fetch(client(transport))

    #expect(try resource.data() == other)
    #expect(resource.headers[.eTag] == "\"v2\"")
    #expect(transport.counts.started == 2)
    #expect(partial.isEmpty)
  }

  @Test(arguments: [500_000, 2_500_000])
  func `a complete response that replaces the partial body is resumed where it breaks`(
    count: Int
  ) async throws {
    let fields: HTTPHeaders = [.eTag: "\"v2\""]
    let transport = ScriptedTransport(sequence: [
      broken(), broken(after: count, fields), rest(from: count, fields),
    ])

    let resource = try await fetch(client(transport))

    #expect(try resource.data().elementsEqual(Self.bytes))
    #expect(transport.requests.last?.headers[.range] == "bytes=\(count)-")
  }

  static let contradictions: [HTTPHeaders] = [
    [.eTag: "\"v2\""], [.contentRange: "bytes 0-9/10"], [.contentRange: "none"],
    [.contentRange: "bytes \(half)-\(bytes.count)/\(bytes.count + 1)"],
  ]

  @Test(arguments: contradictions)
  func `a contradicting part is never appended`(headers: HTTPHeaders) async throws {
    let transport = ScriptedTransport(sequence: [
      broken(), rest(from: Self.half, headers), whole(),
    ])

    let resource = try await fetch(client(transport))

    #expect(try resource.data().elementsEqual(Self.bytes))
    #expect(transport.requests[2].headers.contains(.range) == false)
    #expect(transport.requests[2].headers.contains(.ifRange) == false)
    #expect(partial.isEmpty)
  }

  @Test func `416 restarts the download`() async throws {
    let transport = ScriptedTransport(sequence: [broken(), ScriptedResponse(416), whole()])

    #expect(try await fetch(client(transport)).data() == Self.bytes)
  }

  @Test func `a server that contradicts itself is tried once more only`()
    async throws
  {
    let transport = ScriptedTransport { request in
      request.headers.contains(.range) ? ScriptedResponse(416) : broken()
    }

    await #expect(throws: FreshetError.self) { try await fetch(client(transport)) }

    #expect(transport.counts.started == 3)
  }

  @Test func `a part that is longer or shorter than the rest is never delivered`() async throws {
    let extra = ScriptedResponse(
      206,
      headers: headers([
        .contentRange: "bytes \(Self.half)-\(Self.bytes.count - 1)/\(Self.bytes.count)"
      ])
      .merging([.contentLength: String(Self.bytes.count - Self.half)]),
      body: Self.bytes[Self.half...] + Data("more".utf8)
    )
    let transport = ScriptedTransport(sequence: [broken(), extra, whole()])

    #expect(try await fetch(client(transport)).data() == Self.bytes)
  }

  @Test func `a rest that does not end is not read any further`() async throws {
    let (half, bytes) = (Self.half, Self.bytes)
    let fields: HTTPHeaders = [
      .contentRange: "bytes \(half)-\(bytes.count - 1)/\(bytes.count)",
      .contentLength: String(bytes.count - half),
    ]
    let endless = ScriptedResponse.duplex(206, headers: headers(fields)) { peer in
      for _ in 0..<100 { try await peer.send(bytes[half...]) }
    }
    let transport = ScriptedTransport(sequence: [broken(), endless, whole()])

    #expect(try await fetch(client(transport)).data() == bytes)
    #expect(transport.counts.cancelled == 1 && transport.counts.started == 3)
  }

  // MARK: Across launches

  @Test func `the next launch resumes the partial body of the last one`() async throws {
    let first = ScriptedTransport(sequence: [broken()])
    await #expect(throws: FreshetError.self) { try await fetch(client(first), resumptions: 0) }
    #expect(partial.count == 2)

    let second = ScriptedTransport(sequence: [rest()])
    let resource = try await fetch(client(second))

    #expect(try resource.data().elementsEqual(Self.bytes))
    #expect(second.requests[0].headers[.range] == "bytes=\(Self.half)-")
    #expect(second.requests[0].headers[.ifRange] == "\"v1\"")
    #expect(resource.explanation.contains(.resuming(from: Int64(Self.half))))
    #expect(partial.isEmpty)
  }

  @Test(arguments: [401, 403, 407, 408, 421, 425, 429, 451, 500, 503] as [HTTPStatus])
  func `a status that does not concern the resource leaves the partial body`(
    status: HTTPStatus
  ) async throws {
    try await interrupt()
    let refused = client(ScriptedTransport(sequence: [ScriptedResponse(status)]))
    await #expect(throws: FreshetError.self) { try await fetch(refused) }
    #expect(partial.count == 2)

    let transport = ScriptedTransport(sequence: [rest()])
    #expect(try await fetch(client(transport)).data() == Self.bytes)
    #expect(transport.requests[0].headers[.range] == "bytes=\(Self.half)-")
  }

  @Test(arguments: [400, 404, 410, 412] as [HTTPStatus])
  func `a status that ends the resource or refuses the range removes the partial body`(
    status: HTTPStatus
  ) async throws {
    try await interrupt()
    let refused = client(ScriptedTransport(sequence: [ScriptedResponse(status)]))

    await #expect(throws: FreshetError.self) { try await fetch(refused) }

    #expect(partial.isEmpty)
  }

  @Test func `reports inherited bytes as such`() async throws {
    try await interrupt()
    var progress: [TransferProgress] = []

    for try await event in client(ScriptedTransport(sequence: [rest()]))
      .resource(try world.request)
    {
      if let step = event.progress { progress.append(step) }
    }

    #expect(progress.first?.completed ?? 0 >= Int64(Self.half))
    #expect(progress.last?.completed == Int64(Self.bytes.count))
    #expect(Set(progress.map(\.inherited)) == [Int64(Self.half)])
  }

  @Test func `a restart inherits nothing, nor does a break within a fetch`()
    async throws
  {
    try await interrupt()
    let other = noise(1_500_000, seed: 2)
    let whole = ScriptedResponse(
      headers: headers([.eTag: "\"v2\"", .contentLength: String(other.count)]),
      body: other
    )
    for transport in [
      ScriptedTransport(sequence: [whole]), ScriptedTransport(sequence: [broken(), rest()]),
    ] {
      let policy = ResourcePolicy { $0.network = .required }
      var inherited: [Int64] = []
      for try await event in client(transport).resource(try world.request, policy: policy) {
        if let step = event.progress { inherited.append(step.inherited) }
      }
      #expect(Set(inherited) == [0])
    }
  }

  @Test func `inherited bytes do not count as speed of a batch`() async throws {
    try await interrupt()
    let clock = VirtualClock()
    let url = try world.request.url
    var result: BatchResult?

    for try await event in client(ScriptedTransport(sequence: [rest()])).batch([url])
      .run(clock: clock)
    {
      if case .started = event { clock.advance(by: .seconds(1)) }
      if case .progressed(_, let progress) = event {
        #expect(progress.inherited == Int64(Self.half))
      }
      result = event.value
    }

    #expect(result?.progress.completedBytes == Int64(Self.bytes.count))
    #expect(result?.progress.bytesPerSecond == Double(Self.bytes.count - Self.half))
  }

  @Test func `a cancelled download resumes later`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(headers: headers(), chunks: [Self.bytes[..<Self.half]])
        .waiting(for: gate, at: .afterChunks(1)),
      rest(),
    ])
    let client = client(transport)
    let task = Task { try await fetch(client) }
    await gate.waiting()
    task.cancel()
    await #expect(throws: FreshetError.self) { try await task.value }

    #expect(try await fetch(client).data().elementsEqual(Self.bytes))
    #expect(transport.requests[1].headers[.range] == "bytes=\(Self.half)-")
  }

  @Test func `a body that changed on disk resumes from its last valid checkpoint`()
    async throws
  {
    try await interrupt()
    let body = try #require(partialFile(".part"))
    var data = try Data(contentsOf: body)
    data[1_500_000] ^= 1
    try data.write(to: body)

    let transport = ScriptedTransport(sequence: [whole()])
    #expect(try await fetch(client(transport)).data() == Self.bytes)

    // The only checkpoint is behind the damage.
    #expect(transport.requests[0].headers.contains(.range) == false)
  }

  @Test func `bytes after the last checkpoint are not used`() async throws {
    try await interrupt()
    let body = try #require(partialFile(".part"))
    let file = try FileHandle(forWritingTo: body)
    try file.seekToEnd()
    try file.write(contentsOf: Data("garbage".utf8))
    try file.close()

    let transport = ScriptedTransport(sequence: [rest()])
    #expect(try await fetch(client(transport)).data() == Self.bytes)
    #expect(transport.requests[0].headers[.range] == "bytes=\(Self.half)-")
  }

  @Test(arguments: ["", "nonsense", "{}\n", "{\"version\":9}\n5 abc\n"])
  func `an invalid record restarts the download`(record: String) async throws {
    try await interrupt()
    try Data(record.utf8).write(to: try #require(partialFile(".head")))

    let transport = ScriptedTransport(sequence: [whole()])
    #expect(try await fetch(client(transport)).data() == Self.bytes)
    #expect(transport.requests[0].headers.contains(.range) == false)
    #expect(partial.isEmpty)
  }

  @Test func `skips a torn checkpoint`() async throws {
    try await interrupt()
    let record = try FileHandle(forWritingTo: try #require(partialFile(".head")))
    try record.seekToEnd()
    try record.write(contentsOf: Data("2999999 abcd".utf8))
    try record.close()

    let transport = ScriptedTransport(sequence: [rest()])
    #expect(try await fetch(client(transport)).data() == Self.bytes)
  }

  @Test(arguments: ["no-store", "max-age=60, no-store"])
  func `a response that may not be stored leaves no partial body on disk`(
    control: String
  ) async throws {
    let transport = ScriptedTransport(sequence: [broken([.cacheControl: control])])

    await #expect(throws: FreshetError.self) { try await fetch(client(transport), resumptions: 0) }

    #expect(partial.isEmpty)
    #expect(sandbox.files(in: "store/spool").isEmpty)
  }

  @Test func `RFC 9111 5.2.2.5: a rest that must not be stored leaves no partial body`()
    async throws
  {
    let own: HTTPHeaders = [
      .contentRange: "bytes \(Self.half)-\(Self.bytes.count - 1)/\(Self.bytes.count)",
      .contentLength: String(Self.bytes.count - Self.half), .cacheControl: "no-store",
    ]
    let rest = ScriptedResponse(
      206,
      headers: headers(own),
      chunks: [Self.bytes[Self.half..<Self.half + 65_536]]
    )
    let client = client(
      ScriptedTransport(sequence: [broken(), rest.failing(with: Self.lost, at: .afterChunks(1))])
    )
    await #expect(throws: FreshetError.self) { try await fetch(client, resumptions: 0) }
    #expect(!partial.isEmpty)

    await #expect(throws: FreshetError.self) { try await fetch(client, resumptions: 0) }

    #expect(partial.isEmpty)
  }

  @Test func `a policy without storage leaves no partial body`() async throws {
    let client = client(ScriptedTransport(sequence: [broken()]))
    let policy = ResourcePolicy {
      $0.persistence = .memoryOnly
      $0.resumptions = 0
    }

    await #expect(throws: FreshetError.self) {
      try await client.resource(try world.request, policy: policy).value
    }

    #expect(partial.isEmpty)
  }

  @Test func `users share no partial bodies`() async throws {
    try await interrupt()
    let transport = ScriptedTransport(sequence: [whole()])
    let ann = world.client(transport) {
      $0.disk = DiskStore(directory: directory)
      $0.partition = "ann"
    }

    #expect(try await fetch(ann).data() == Self.bytes)

    #expect(transport.requests[0].headers.contains(.range) == false)
    #expect(partial.count == 2)
  }

  @Test func `two concurrent fetches of one URL do not disturb each other`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(
        headers: headers(),
        chunks: [Self.bytes[..<Self.half], Self.bytes[Self.half...]]
      )
      .waiting(for: gate, at: .afterChunks(1)),
      whole(),
    ])
    let (one, other) = (client(transport), client(transport))
    async let first = fetch(one)
    await gate.waiting()

    #expect(try await fetch(other).data() == Self.bytes)
    gate.open()
    #expect(try await first.data().elementsEqual(Self.bytes))
    #expect(partial.isEmpty)
  }

  @Test func `a partial body beside a complete copy ends with its validation`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(headers: headers(), chunks: [Self.bytes[..<Self.half]])
        .waiting(for: gate, at: .afterChunks(1)),
      whole(),
      ScriptedResponse(304, headers: [.eTag: "\"v1\"", .cacheControl: "max-age=60"]),
    ])
    let (one, other) = (client(transport), client(transport))
    let first = Task { try await fetch(one) }
    await gate.waiting()
    #expect(try await fetch(other).data() == Self.bytes)
    first.cancel()
    await #expect(throws: FreshetError.self) { try await first.value }
    #expect(partial.count == 2)

    world.clock.advance(by: .seconds(61))
    #expect(try await fetch(other).data() == Self.bytes)

    #expect(transport.requests[2].headers[.ifNoneMatch] == "\"v1\"")
    #expect(partial.isEmpty)
  }

  @Test(arguments: ["e\u{301}", "\u{E9}"])
  func `removing by tag removes the partial bodies of the same bytes`(tag: String) async throws {
    var request = try world.request
    request.tags = ["\u{E9}"]
    let interrupted = client(ScriptedTransport(sequence: [broken()]))
    let policy = ResourcePolicy { $0.resumptions = 0 }
    await #expect(throws: FreshetError.self) {
      try await interrupted.resource(request, policy: policy).value
    }

    try await DiskStore(directory: directory).removeAll(tag: tag)

    #expect(partial.isEmpty == (tag.utf8.count == 2))
  }

  @Test func `an expired copy and a partial new body are validated with one request`() async throws
  {
    let old = ScriptedResponse(
      headers: headers([.eTag: "\"v0\"", .contentLength: "3"]),
      body: Data("old".utf8)
    )
    let transport = ScriptedTransport(sequence: [old, broken(), rest()])
    let client = client(transport)
    _ = try await fetch(client)
    world.clock.advance(by: .seconds(61))
    let stale = try await fetch(client, resumptions: 0)
    let new = try await fetch(client)

    #expect(stale.freshness == .stale)
    #expect(try new.data().elementsEqual(Self.bytes))
    let asked = transport.requests[2].headers
    #expect(asked[.ifNoneMatch] == "\"v0\"")
    #expect(asked[.range] == "bytes=\(Self.half)-" && asked[.ifRange] == "\"v1\"")
  }

  @Test func `a rest of unknown length does not count as complete`() async throws {
    let chunked: HTTPHeaders = [.eTag: "\"v1\"", .cacheControl: "max-age=60"]
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(headers: chunked, chunks: [Self.bytes[..<4]])
        .failing(with: Self.lost, at: .afterChunks(1)),
      ScriptedResponse(
        206,
        headers: chunked.merging([.contentRange: "bytes 4-7/*"]),
        body: Self.bytes[4..<8]
      ),
      ScriptedResponse(headers: chunked, body: Self.bytes[..<10]),
    ])

    #expect(try await fetch(client(transport)).data() == Self.bytes[..<10])
  }

  // MARK: Senders

  private func client(_ session: Authenticator, _ transport: ScriptedTransport) -> Client {
    world.client(transport.authenticated(by: session)) {
      $0.disk = DiskStore(directory: directory)
      $0.memory = nil
    }
  }

  @Test func `3.4: a partial body of one user is not completed for another`() async throws {
    let session = Authenticator(.bearer("ann"), for: [ClientWorld.origin])
    await #expect(throws: FreshetError.self) {
      try await fetch(client(session, ScriptedTransport(sequence: [broken()])), resumptions: 0)
    }
    #expect(partial.count == 2)
    session.signIn(.bearer("bob"))
    let transport = ScriptedTransport(sequence: [whole()])

    #expect(try await fetch(client(session, transport)).data() == Self.bytes)

    #expect(transport.requests[0].headers.contains(.range) == false)
  }

  @Test func `3.4: a partial body is not completed for another selection of Vary`() async throws {
    func request(_ language: String) throws -> Request {
      Request(.get, try world.request.url, headers: [.acceptLanguage: language])
    }
    let vary: HTTPHeaders = [.vary: "Accept-Language"]
    let transport = ScriptedTransport(sequence: [
      broken(after: Self.half, vary), whole(vary), broken(after: Self.half, vary),
      rest(from: Self.half, vary),
    ])
    let policy = ResourcePolicy { $0.resumptions = 0 }
    let client = client(transport)
    await #expect(throws: FreshetError.self) {
      try await client.resource(try request("de"), policy: policy).value
    }

    _ = try await client.resource(try request("fr")).value
    await #expect(throws: FreshetError.self) {
      try await client.resource(try request("de"), policy: policy).value
    }
    _ = try await client.resource(try request("de")).value

    let ranges = transport.requests.map { $0.headers.contains(.range) }
    #expect(ranges == [false, false, false, true])
  }

  @Test func `a rest that names its selecting fields names them for the whole`() async throws {
    func request(_ language: String) throws -> Request {
      Request(.get, try world.request.url, headers: [.acceptLanguage: language])
    }
    let vary: HTTPHeaders = [.vary: "Accept-Language"]
    let transport = ScriptedTransport(sequence: [
      broken(), rest(from: Self.half, vary), whole(vary),
    ])
    let client = client(transport)

    _ = try await client.resource(try request("de")).value
    let other = try await client.resource(try request("fr")).value

    #expect(other.source == .network)
    #expect(transport.requests.count == 3)
  }

  @Test func `3.4: a rest that was sent with other credentials is not appended`() async throws {
    let count = Counter()
    let transport = ScriptedTransport(sequence: [broken(), rest(), whole()])
    let client = world.client(
      transport.intercepted { request, next in
        var request = request
        request.headers[.authorization] = count.next() == 0 ? "Bearer ann" : "Bearer bob"
        return next(request)
      }
    )

    let resource = try await fetch(client)

    #expect(try resource.data() == Self.bytes)
    #expect(transport.requests.map { $0.headers.contains(.range) } == [false, true, false])
  }

  @Test func `does not request a rest in another user's session`() async throws {
    let session = Authenticator(.bearer("ann"), for: [ClientWorld.origin])
    let count = Counter()
    let transport = ScriptedTransport(sequence: [broken(), rest(), whole()])
    let client = world.client(
      transport.authenticated(by: session)
        .intercepted { request, next in
          Transfer(request) { () async throws(FreshetError) in
            if count.next() == 1 { session.signIn(.bearer("bob")) }
            return next(request)
          }
        }
    )

    await #expect {
      try await fetch(client)
    } throws: { error in
      if case .unauthenticated? = error as? FreshetError { true } else { false }
    }

    #expect(transport.requests.count == 1)
  }

  @Test func `a body that was asked for before a removal leaves nothing to resume`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [broken().waiting(for: gate)])
    let client = client(transport)
    let task = Task { try await fetch(client, resumptions: 0) }
    #expect(await gate.waiting())

    try await client.configuration.disk?.removeAll()
    gate.open()

    await #expect(throws: FreshetError.self) { try await task.value }
    #expect(partial.isEmpty)
  }

  // MARK: Limits

  @Test func `partial bodies are limited, swept, and removed with the rest`() async throws {
    try await interrupt()
    let store = DiskStore(directory: directory)
    let key = CacheKey(try world.request)
    #expect(partial.count == 2)
    try await store.remove(try .sample("http://a.example/other"))
    #expect(partial.count == 2)
    try await store.remove(key)
    #expect(partial.isEmpty)

    try await interrupt()
    try await store.removeAll(prefix: "http://a.example/")
    #expect(partial.isEmpty)
    try await interrupt()
    try await store.removeAll()
    #expect(partial.isEmpty)

    try await interrupt()
    var folder = store.partials
    folder.sweep(now: Date() + 6 * 86_400)
    #expect(partial.count == 2)
    folder.sweep(now: Date() + 8 * 86_400)
    #expect(partial.isEmpty)
    try await interrupt()
    folder.byteLimit = 1_000_000
    folder.sweep(now: Date())
    #expect(partial.count == 2)
    let other = PartialRecord(
      key: try .sample("http://a.example/other"),
      varying: .none,
      head: ResponseHead(status: .ok, headers: [:], url: try world.request.url),
      tags: [],
      requestTime: Date(),
      responseTime: Date()
    )
    try folder.begin(other)?.discard()
    #expect(partial.isEmpty)
  }

  @Test func `a store without partial bodies keeps none`() async throws {
    var configuration = DiskStore.Configuration()
    configuration.partialByteLimit = 0
    let client = world.client(ScriptedTransport(sequence: [broken()])) {
      $0.disk = DiskStore(directory: directory, configuration: configuration)
    }

    await #expect(throws: FreshetError.self) { try await fetch(client, resumptions: 0) }

    #expect(partial.isEmpty)
  }

  @Test func `only the owner can read partial bodies`() async throws {
    try await interrupt()

    #expect(partial.count == 2)
    for name in partial {
      let path = directory.appendingPathComponent("partial/\(name)").path
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
      #expect(mode as? Int == 0o600)
    }
  }

  @Test func `a download without enough space does not start`() async throws {
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(
        headers: [.contentLength: "4000000000000000000", .eTag: "\"v1\""],
        body: Data("a".utf8)
      )
    ])

    let error = await #expect(throws: FreshetError.self) { try await fetch(client(transport)) }

    #expect(error?.kind == "file")
    #expect(error.map { "\($0)" }?.contains("no space left") == true)
    #expect(partial.isEmpty && sandbox.files(in: "store/spool").isEmpty)
  }

  private func interrupt() async throws {
    let transport = ScriptedTransport(sequence: [broken()])
    await #expect(throws: FreshetError.self) { try await fetch(client(transport), resumptions: 0) }
  }

  private func partialFile(_ suffix: String) -> URL? {
    partial.first { $0.hasSuffix(suffix) }
      .map { directory.appendingPathComponent("partial/\($0)") }
  }
}
