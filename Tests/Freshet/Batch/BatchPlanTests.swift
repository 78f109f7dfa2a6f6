import Foundation
import FreshetTesting
import Testing

@testable import Freshet

@Suite(.timeLimit(.minutes(5))) struct BatchPlanTests {
  let world = BatchWorld()

  private func plan(_ client: Client, _ paths: [String]) async throws -> BatchPlan {
    try await client.batch(paths.map(BatchWorld.url)).plan().value
  }

  @Test func `counts missing, fresh and unknown items`() async throws {
    let client = world.client(world.origin())
    _ = try await client.resource(at: BatchWorld.url("40")).value

    let plan = try await plan(client, ["100", "40", "chunked", "missing", "no-head", "250", "100"])

    #expect(plan.items.map(\.index) == [0, 1, 2, 3, 4, 5])
    #expect(
      plan.items.map(\.need) == [.body(100), .none, .unknown, .unknown, .body(10), .body(250)]
    )
    #expect(plan.totals.items == 6 && plan.totals.bytes == 360)
    #expect(plan.totals.unknown == 2 && plan.totals.fresh == 1)
    #expect(plan.items.map { $0.problem != nil } == [false, false, false, true, false, false])
    #expect(plan.items[3].problem?.contains("404") == true)
  }

  @Test func `yields each item when it is known, and then the plan`() async throws {
    let client = world.client(world.origin())
    var totals: [BatchPlan.Totals] = []
    var plans: [BatchPlan] = []

    for try await event in client.batch(["1", "2", "3"].map(BatchWorld.url)).plan() {
      switch event {
      case .counted(_, let sums): totals.append(sums)
      case .planned(let plan): plans.append(plan)
      }
    }

    #expect(totals.map(\.items) == [1, 2, 3])
    #expect(totals.last?.bytes == 6)
    #expect(plans.count == 1 && plans.first?.totals == totals.last)
  }

  @Test func `an empty batch has a plan`() async throws {
    let plan = try await plan(world.client(world.origin()), [])

    #expect(plan.items.isEmpty && plan.totals == BatchPlan.Totals())
  }

  @Test func `asks by HEAD for the decoded size, and downloads nothing`() async throws {
    let transport = world.origin()

    _ = try await plan(world.client(transport), ["100", "no-head"])

    #expect(
      transport.requests.filter { $0.url.lastPathComponent == "100" }.map(\.method) == [.head]
    )
    #expect(transport.requests.allSatisfy { $0.headers[.acceptEncoding] == "identity" })
    #expect(
      transport.requests.last { $0.url.lastPathComponent == "no-head" }?.headers[.range]
        == "bytes=0-0"
    )
  }

  @Test(arguments: [405, 501])
  func `where HEAD is not allowed, a server that ignores ranges is not read`(
    status: Int
  )
    async throws
  {
    let chunks = [Data(repeating: 0x61, count: 10), Data(repeating: 0x61, count: 90)]
    let transport = ScriptedTransport { [gate = world.gate] request in
      request.method == .head
        ? ScriptedResponse(HTTPStatus(status))
        : ScriptedResponse(headers: [.contentLength: "100"], chunks: chunks)
          .waiting(for: gate, at: .afterChunks(0))
    }

    let plan = try await plan(world.client(transport), ["x"])

    #expect(plan.items.first?.need == .body(100))
    #expect(transport.counts.cancelled == 1)
  }

  @Test func `an empty resource without HEAD has size 0`() async throws {
    let transport = ScriptedTransport { request in
      request.method == .head
        ? ScriptedResponse(405) : ScriptedResponse(416, headers: [.contentRange: "bytes */0"])
    }

    #expect(try await plan(world.client(transport), ["x"]).items.first?.need == .body(0))
  }

  @Test func `a failed HEAD concerns only its item`() async throws {
    let transport = ScriptedTransport { request in
      request.url.lastPathComponent == "broken"
        ? .failure(.connection(.lost, url: "")) : ScriptedResponse(headers: [.contentLength: "7"])
    }

    let plan = try await plan(world.client(transport), ["1", "broken", "2"])

    #expect(plan.items.map(\.need) == [.body(7), .unknown, .body(7)])
  }

  @Test func `an unchanged expired copy needs a validation, a changed one a download`()
    async throws
  {
    let expired: HTTPHeaders = [.cacheControl: "max-age=0", .contentLength: "3", .eTag: "\"v1\""]
    let transport = ScriptedTransport { request in
      guard request.method == .head else {
        return ScriptedResponse(headers: expired, body: Data("one".utf8))
      }
      let isSame = request.url.lastPathComponent == "same"
      return ScriptedResponse(
        headers: isSame ? expired : [.eTag: "\"v2\"", .contentLength: "8"]
      )
    }
    let client = world.client(transport)
    for path in ["same", "changed"] {
      _ = try await client.resource(at: BatchWorld.url(path)).value
    }

    let plan = try await plan(client, ["same", "changed"])

    #expect(plan.items.map(\.need) == [.validation, .body(8)])
    #expect(plan.totals.bytes == 8 && plan.totals.fresh == 0 && plan.totals.unknown == 0)
  }

  @Test func `offline sends no request`() async throws {
    let transport = world.origin()
    let policy = ResourcePolicy { $0.network = .forbidden }

    let plan = try await world.client(transport)
      .batch([BatchWorld.url("10")], policy: policy)
      .plan()
      .value

    #expect(plan.items.first?.need == .unknown && plan.items.first?.problem != nil)
    #expect(transport.counts.started == 0)
  }

  @Test func `offline, an expired copy needs nothing`() async throws {
    let headers: HTTPHeaders = [.cacheControl: "max-age=0", .eTag: "\"v1\""]
    let transport = ScriptedTransport { _ in
      ScriptedResponse(headers: headers, body: Data("a".utf8))
    }
    let client = world.client(transport)
    _ = try await client.resource(at: BatchWorld.url("a")).value
    let policy = ResourcePolicy { $0.network = .forbidden }
    let batch = client.batch([BatchWorld.url("a")], policy: policy)

    let plan = try await batch.plan().value

    #expect(plan.items.map(\.need) == [.none] && plan.totals.fresh == 1)
    #expect(try await batch.run().value.failures.isEmpty)
    #expect(transport.counts.started == 1)
  }

  @Test(arguments: [(4, 3), (3, 4)])
  func `asks for the sizes concurrently, within the limits`(
    maxConcurrent: Int,
    perHost: Int
  ) async throws {
    let client = world.client(world.origin())
    let urls = (0..<10).map { BatchWorld.url("gated_\($0)") }
    let running = client.batch(urls).plan(maxConcurrent: maxConcurrent, perHost: perHost).start()

    await world.gate.waiting(count: 3)
    for _ in 0..<1_000 { await Task.yield() }
    #expect(world.gate.waitingCount == 3)
    world.gate.open()

    #expect(try await running.value.totals.bytes == 100)
  }

  @Test func `cancelling ends the running requests`() async throws {
    let transport = world.origin()
    let client = world.client(transport)
    let task = Task { try await client.batch([BatchWorld.url("gated")]).plan().value }
    await world.gate.waiting()

    task.cancel()

    await #expect(throws: FreshetError.cancelled) { try await task.value }
    await transport.counted { $0.cancelled == 1 }
  }

  @Test func `an AsyncSequence is planned with each request once`() async throws {
    let requests = ["10", "20", "10", "10"].map { BatchWorld.request($0) }

    let plan = try await world.client(world.origin())
      .batch(RequestScript(requests: requests))
      .plan()
      .value

    #expect(plan.totals.items == 2 && plan.totals.bytes == 30)
  }

  @Test func `plans a sequence that exceeds the buffer completely`() async throws {
    let requests = (0..<60).map { BatchWorld.request("10_\($0 % 50)") }

    let plan = try await world.client(world.origin())
      .batch(RequestScript(requests: requests))
      .plan(maxConcurrent: 2)
      .value

    #expect(plan.totals.items == 50 && plan.totals.bytes == 500)
  }

  // MARK: - The value

  @Test func `a plan can be filtered and run`() async throws {
    let transport = world.origin()
    let plan = try await plan(world.client(transport), ["100", "5", "3000"])
    let small = plan.filter { ($0.need.bytes ?? 0) < 1_000 }

    let result = try await small.run().value

    #expect(result.completedItems == 2 && result.progress.completedBytes == 105)
    #expect(
      Set(transport.requests.filter { $0.method == .get }.map(\.url.lastPathComponent)) == [
        "100", "5",
      ]
    )
  }

  @Test func `a plan's run uses the plan's clock`() async throws {
    let clock = VirtualClock()
    let plan = try await plan(world.client(world.origin()), ["100", "300"])
    var result: BatchResult?

    for try await event in plan.run(clock: clock) {
      if case .received = event { clock.advance(by: .seconds(1)) }
      result = event.value
    }

    #expect(result?.progress.bytesPerSecond == 200)
  }

  @Test func `a plan can be stored and read`() async throws {
    var request = BatchWorld.request("100", .high)
    request.headers = ["X-A": "1", "X-A": "2"]
    request.tags = ["logo"]
    request.networks = [.cellular]
    request.timeouts.total = .seconds(9)
    request.timeouts.idle = nil
    request.redirects = .none
    request.limits.bodyBytes = 1_000
    request.omittedHeaders = [.authorization]
    request.cacheIdentity = .request(with: ["X-A"])
    let client = world.client(world.origin())
    let plan = try await client.batch([request, BatchWorld.request("chunked")]).plan().value

    let stored = try JSONEncoder().encode(plan)
    let read = try JSONDecoder().decode(BatchPlan.self, from: stored)

    #expect(read.totals == plan.totals && read.items.map(\.need) == plan.items.map(\.need))
    let again = try #require(read.items.first?.request)
    #expect(again.headers == request.headers && again.priority == .high)
    #expect(again.networks == [.cellular])
    #expect(again.tags == ["logo"] && again.timeouts == request.timeouts)
    #expect(again.redirects == .none && again.limits == request.limits)
    #expect(again.omittedHeaders == request.omittedHeaders)
    #expect(again.cacheIdentity == request.cacheIdentity)
    #expect(try await read.run(with: client).value.failures.map(\.error.description) == [])
  }

  @Test func `a stored request keeps which timeouts were set, also to their defaults`() throws {
    var request = BatchWorld.request("10")
    request.timeouts.total = nil
    request.timeouts.connectivity = .seconds(3)
    request.timeouts.waitsForConnectivity = false
    let record = try #require(RequestRecord(request))

    let stored = try JSONEncoder().encode(record)
    let read = try JSONDecoder().decode(RequestRecord.self, from: stored).request

    let client = Client {
      $0.timeouts.total = .seconds(30)
      $0.timeouts.firstByte = .seconds(5)
      $0.timeouts.waitsForConnectivity = true
      $0.timeouts.connectivity = .seconds(9)
    }
    let timeouts = client.prepared(read).timeouts
    #expect(timeouts == client.prepared(request).timeouts)
    #expect(timeouts.total == nil && timeouts.firstByte == .seconds(5))
    #expect(!timeouts.waitsForConnectivity && timeouts.connectivity == .seconds(3))
  }

  @Test func `a stored request keeps which redirects and limits were set`() throws {
    var request = BatchWorld.request("10")
    request.redirects.allowsDowngrade = false
    request.limits.bodyBytes = nil
    let record = try #require(RequestRecord(request))

    let stored = try JSONEncoder().encode(record)
    let read = try JSONDecoder().decode(RequestRecord.self, from: stored).request

    let client = Client {
      $0.redirects = RedirectPolicy(maximumCount: 2, allowsDowngrade: true)
      $0.limits.bodyBytes = 1_000
      $0.limits.headerCount = 50
    }
    let sent = client.prepared(read)
    #expect(sent.redirects == RedirectPolicy(maximumCount: 2))
    #expect(sent.limits.bodyBytes == nil && sent.limits.headerCount == 50)
  }

  @Test func `a request that an earlier version has stored has all of its redirects and limits`()
    throws
  {
    let text = #"{"url":"http://a.example/","redirects":[3,0],"limits":[9,8,-1,7]}"#
    let record = try JSONDecoder().decode(RequestRecord.self, from: Data(text.utf8))
    let client = Client {
      $0.redirects = .none
      $0.limits.bodyBytes = 1_000
    }

    let sent = client.prepared(record.request)

    #expect(sent.redirects.maximumCount == 3)
    #expect(sent.limits.bodyBytes == nil && sent.limits.headerCount == 9)
  }

  @Test func `a request that an earlier version has stored has all of its timeouts`() throws {
    let text = #"{"url":"http://a.example/","timeouts":[1000,2000,-1,4000],"waits":-1}"#
    let record = try JSONDecoder().decode(RequestRecord.self, from: Data(text.utf8))

    let timeouts = Client { $0.timeouts.idle = .seconds(5) }.prepared(record.request).timeouts

    #expect(timeouts.connect == .seconds(1) && timeouts.firstByte == .seconds(2))
    #expect(timeouts.idle == nil && timeouts.total == .seconds(4))
    #expect(timeouts.waitsForConnectivity && timeouts.connectivity == nil)
  }

  @Test func `a continued request keeps its URL and the fields that it omits`()
    async throws
  {
    let origin = world.origin()
    let client = Client {
      $0.transport = origin
      $0.baseURL = URL(string: "http://a.example/v1")
      $0.headers = [.authorization: "Bearer s3cret"]
    }
    var request = Request.get(.atOrigin("10"))
    request.omittedHeaders = [.authorization]
    let plan = try await client.batch([request]).plan().value

    let read = try JSONDecoder().decode(BatchPlan.self, from: try JSONEncoder().encode(plan))
    _ = try await read.run(with: client).value

    let sent = try #require(origin.requests.last)
    #expect(sent.method == .get && sent.url.absoluteString == "http://a.example/10")
    #expect(origin.requests.allSatisfy { !$0.headers.contains(.authorization) })
  }

  @Test(arguments: [
    ("", "http://a.example/v1"), ("documents:search", "http://a.example/v1/documents:search"),
    ("/users/?a=1", "http://a.example/v1/users/?a=1"), ("10", "http://a.example/v1/10"),
  ])
  func `a continued request has the same path`(path: String, url: String) async throws {
    let origin = world.origin()
    let client = Client {
      $0.transport = origin
      $0.baseURL = URL(string: "http://a.example/v1")
    }
    let again = try stored(.get(RequestPath(raw: path)))

    _ = try await client.send(again).value

    #expect(origin.requests.map(\.url.absoluteString) == [url])
  }

  @Test(arguments: [false, true])
  func `a continued request with a refused path is refused again`(isAtOrigin: Bool) async throws {
    let (origin, id) = (world.origin(), "")
    let client = Client {
      $0.transport = origin
      $0.baseURL = URL(string: "http://a.example/v1")
    }
    let path: RequestPath = "users/\(id)"
    let request = Request.get(isAtOrigin ? .atOrigin(path) : path)
    let first = await #expect(throws: FreshetError.self) { try await client.send(request).value }

    let again = try stored(request)
    let second = await #expect(throws: FreshetError.self) { try await client.send(again).value }

    #expect(first?.kind == "invalidRequest" && second?.description == first?.description)
    #expect(origin.requests.isEmpty)
  }

  @Test(
    arguments: [
      (#""path":"x/../y""#, "x", nil), (#""atOrigin":true"#, "10", "http://a.example/10"),
      (#""tags":[]"#, "10", "http://a.example/v1/10"),
    ] as [(String, String, String?)]
  )
  func `reads plans without paths, and checks the paths of others`(
    member: String,
    shown: String,
    url: String?
  ) async throws {
    let origin = world.origin()
    let client = Client {
      $0.transport = origin
      $0.baseURL = URL(string: "http://a.example/v1")
    }
    let text =
      "{\"items\":[{\"index\":0,\"need\":1,\"request\":{\"url\":\"\(shown)\",\(member)}}]}"

    let plan = try JSONDecoder().decode(BatchPlan.self, from: Data(text.utf8))
    let result = try await plan.run(with: client).value

    #expect(result.failures.isEmpty == (url != nil))
    #expect(origin.requests.map(\.url.absoluteString) == [url].compactMap(\.self))
  }

  /// Returns the request as a plan or a journal stores it.
  private func stored(_ request: Request) throws -> Request {
    let data = try JSONEncoder().encode(try #require(RequestRecord(request)))
    return try JSONDecoder().decode(RequestRecord.self, from: data).request
  }

  @Test func `an index is the position, in arrays and in sequences`() async throws {
    let client = world.client(world.origin())
    let requests = ["1", "1", "2"].map { BatchWorld.request($0) }

    let array = try await client.batch(requests).plan().value
    let sequence =
      try await client.batch(
        AsyncStream { continuation in
          for request in requests { continuation.yield(request) }
          continuation.finish()
        }
      )
      .plan().value

    #expect(array.items.map(\.index) == [0, 2])
    #expect(sequence.items.map(\.index).sorted() == [0, 2])
  }

  @Test func `credentials are not stored`() async throws {
    var request = BatchWorld.request("100")
    request.headers = [
      .authorization: "Bearer s3cret", .cookie: "s3cret", "X-Badge": "s3cret", "X-Team": "s3cret",
      "X-A": "1",
    ]
    let transport = world.origin()
    let client = Client {
      $0.transport = transport
      $0.secretHeaders = ["X-Badge"]
      $0.redirects.secretHeaders = ["X-Team"]
    }
    let plan = try await client.batch([request]).plan().value

    let text = String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)

    #expect(!text.contains("s3cret") && text.contains("X-A"))
  }

  @Test func `the user and the password of a URL are not stored, and it stays refused`()
    async throws
  {
    let transport = world.origin()
    let client = world.client(transport)
    let url = try #require(URL(string: "http://ann:s3cret@a.example/100"))
    let requests = [
      Request(url), .get("http://ann:s3cret@a.example/200"), .get("http://a.example/3"),
    ]
    let plan = try await client.batch(requests).plan().value

    let stored = try JSONEncoder().encode(plan)

    #expect(!String(decoding: stored, as: UTF8.self).contains("s3cret"))
    let read = try JSONDecoder().decode(BatchPlan.self, from: stored)
    let kinds = try await read.run(with: client).value.failures.map(\.error.kind)
    #expect(kinds == ["invalidRequest", "invalidRequest"])
    #expect(Set(transport.requests.map(\.url.absoluteString)) == ["http://a.example/3"])
  }

  @Test(arguments: [
    "go?to=http://ann@a.example/x", "proxy/https://ann@a.example/x", "mail:ann@a.example",
    "http://a.example/x?to=http://ann@b.example",
  ])
  func `what is like a user in another part of a URL is stored`(text: String) async throws {
    let transport = ScriptedTransport { _ in .text("x") }
    let client = Client {
      $0.transport = transport
      $0.memory = nil
      $0.baseURL = BatchWorld.url("v1")
    }
    let plan = try await client.batch([Request.get(RequestPath(raw: text))]).plan().value
    let stored = try JSONEncoder().encode(plan)
    _ = try await JSONDecoder().decode(BatchPlan.self, from: stored).run(with: client).value

    let urls = transport.requests.map(\.url.absoluteString)
    #expect(urls.count == 2 && urls.first == urls.last)
  }

  @Test func `a stored plan with an index twice is refused`() async throws {
    let plan = try await plan(world.client(world.origin()), ["1", "2"])
    let stored = String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)
    let twice = stored.replacing("\"index\":1", with: "\"index\":0")
    try #require(twice != stored)

    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(BatchPlan.self, from: Data(twice.utf8))
    }
  }

  @Test func `the size of another response than that to GET is not asked for`() async throws {
    let origin = world.origin()
    let request = Request(.post, BatchWorld.url("100"), body: .text("x"))

    let plan = try await world.client(origin).batch([request]).plan().value

    #expect(plan.items.map(\.need) == [.unknown])
    #expect(origin.requests.isEmpty)
  }

  @Test func `a request with a body cannot be stored`() async throws {
    let request = Request(.post, BatchWorld.url("100"), body: .text("x"))
    let plan = try await world.client(world.origin()).batch([request]).plan().value

    #expect(throws: EncodingError.self) { try JSONEncoder().encode(plan) }
  }

  @Test func `a decoded plan needs a client`() async throws {
    let read = try JSONDecoder().decode(BatchPlan.self, from: Data(#"{"items":[]}"#.utf8))

    let error = await #expect(throws: FreshetError.self) { try await read.run().value }

    #expect(error?.kind == "invalidRequest")
  }
}
