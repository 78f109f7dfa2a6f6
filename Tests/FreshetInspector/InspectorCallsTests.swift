import Foundation
import Freshet
import FreshetTesting
import Testing

@testable import FreshetInspector

@Suite(.timeLimit(.minutes(5))) struct InspectorCallsTests {
  private static let url = "http://a.test/one"

  private func strings(_ value: Any?) throws -> [String] { try #require(value as? [String]) }

  /// The names of the bars of a row.
  private func bars(_ row: [String: Any]) throws -> [String] {
    try #require(row["bars"] as? [[Any]]).compactMap { $0[0] as? String }
  }

  /// The replies of the stages of a call, as `name: took → replied`.
  private func chain(_ call: [String: Any]) throws -> [String] {
    let stages = try #require(call["stages"] as? [[String: Any]])
    return try stages.flatMap { stage in
      let name = try #require(stage["name"] as? String)
      let replies = try #require(stage["replies"] as? [[String: Any]])
      return replies.map { "\(name): \($0["took"] ?? "") → \($0["replied"] ?? "")" }
    }
  }

  @Test func `shows the explanation of a download, of a hit and of a revalidation`() async throws {
    let world = InspectorWorld { request in
      request.headers.contains(.ifNoneMatch)
        ? ScriptedResponse(304, headers: [.eTag: "\"v1\"", .cacheControl: "max-age=60"])
        : .cached("x")
    }
    var resources: [Resource] = []
    for seconds in [0.0, 30, 60] {
      world.time.value = InspectorWorld.start + seconds
      resources.append(try await world.client.resource(Request(.get, Self.url)).value)
    }

    let rows = try await world.rows()

    #expect(rows.count == 3)
    for (index, resource) in resources.enumerated() {
      let (row, call) = (rows[index], try await world.call(index + 1))
      #expect(try strings(call["explanation"]) == resource.explanation.map(\.description))
      #expect(row["source"] as? String == resource.source.rawValue)
      #expect(row["freshness"] as? String == resource.freshness.rawValue)
      #expect(row["status"] as? Int == 200)
      #expect(row["state"] as? String == "succeeded")
      #expect(row["url"] as? String == Self.url)
    }
    #expect(resources.map(\.freshness) == [.fresh, .fresh, .revalidated])
    #expect(
      rows.map { $0["began"] as? Double }[2] == (InspectorWorld.start + 60).timeIntervalSince1970
        * 1_000
    )
  }

  @Test func `a client that is added again is listed once, under its new name`() async throws {
    let world = InspectorWorld { _ in .cached("x") }
    world.inspector.add(world.client, name: "again")
    _ = try await world.client.resource(Request(.get, Self.url)).value

    let clients = try #require(try await world.json("api/clients")["clients"] as? [[String: Any]])
    #expect(clients.map { $0["number"] as? Int } == [1])
    #expect(clients.map { $0["name"] as? String } == ["again"])
    #expect(try await world.rows().map { $0["client"] as? Int } == [1])
  }

  @Test func `a pause of an upload is no call of its own`() async throws {
    let count = Shared(0)
    let world = InspectorWorld { _ in
      count.value += 1
      return ScriptedResponse(count.value == 1 ? 503 : 201)
    }
    var request = try Request(.put, Self.url)
    request.body = .text("x")

    _ = try await world.client
      .upload(request) {
        $0.creation = .optimistic
        $0.retry = RetryPolicy(retries: 1, after: .zero)
      }
      .value

    #expect(try await world.rows().count == 2)
  }

  @Test func `draws the chain with what each stage took and replied`() async throws {
    let world = InspectorWorld { _ in .cached("x") }
    _ = try await world.client.resource(Request(.get, Self.url)).value
    _ = try await world.client.resource(Request(.get, Self.url)).value

    let download = try await world.call(1)
    let hit = try await world.call(2)

    let names = world.client.chain(for: try Request(.get, Self.url)).stageNames.map(\.description)
    #expect(
      try #require(download["stages"] as? [[String: Any]]).compactMap { $0["name"] as? String }
        == names
    )
    #expect(
      try chain(download) == [
        "lookup(in: memory): wanted → wanted", "coalesce: wanted → shared",
        "download: wanted → asks the network", "download:  → downloaded",
        "persist(in: memory): downloaded → downloaded",
      ]
    )
    #expect(
      try chain(hit) == [
        "lookup(in: memory): wanted → found", "checkExpiry: found → resource",
        "persist(in: memory): resource → passed", "persist(in: memory): resource → passed",
      ]
    )
  }

  @Test func `shows the parts of the time`() async throws {
    let metrics = TransferMetrics(
      nameLookup: .microseconds(1),
      connect: .microseconds(2),
      tls: .microseconds(3),
      firstByte: .microseconds(4),
      total: .microseconds(5)
    )
    let world = InspectorWorld { _ in .cached("x").metrics(metrics) }
    _ = try await world.client.resource(Request(.get, Self.url)).value
    _ = try await world.client.resource(Request(.get, Self.url)).value
    _ = try await world.client.send(Request(.get, Self.url)).value

    let rows = try await world.rows()

    #expect(
      try bars(rows[0]) == [
        "stores", "queue", "lookup", "connect", "tls", "wait", "body", "stores",
      ]
    )
    #expect(try bars(rows[1]) == ["stores"])
    #expect(
      try bars(rows[2]).filter { $0 != "stores" }
        == ["queue", "lookup", "connect", "tls", "wait", "body"]
    )
    for row in rows {
      let bars = try #require(row["bars"] as? [[Any]])
      var end = 0.0
      for bar in bars {
        #expect(bar[1] as? Double == end)
        end = try #require(bar[2] as? Double)
      }
    }
  }

  @Test func `a shared fetch is a row for each reader`() async throws {
    let gate = Gate()
    let world = InspectorWorld { _ in .cached("x").waiting(for: gate) }
    let request = try Request(.get, Self.url)
    let first = Task { try await world.client.resource(request).value }
    await gate.waiting()
    let second = Task { try await world.client.resource(request).value }
    try await until { try await world.rows().count == 2 }
    let running = try await world.rows()
    try await until { try await chain(world.call(2)).count == 2 }
    gate.open()
    let values = [try await first.value, try await second.value]

    #expect(running.map { $0["state"] as? String } == ["running", "running"])
    for (index, value) in values.enumerated() {
      let call = try await world.call(index + 1)
      #expect(try strings(call["explanation"]) == value.explanation.map(\.description))
    }
    #expect(try await strings(world.call(2)["explanation"]).contains("coalesced with 1"))
    #expect(try await bars(world.rows()[1]).contains("shared"))
  }

  @Test func `shows a refresh behind the value on the row of the value`() async throws {
    let world = InspectorWorld(
      { _ in .cached("x", "max-age=10, stale-while-revalidate=100") },
      configure: { $0.policy.stale = .servedWhileRefreshing }
    )
    _ = try await world.client.resource(Request(.get, Self.url)).value
    world.time.value = InspectorWorld.start + 20
    let stale = try await world.client.resource(Request(.get, Self.url)).value

    try await until { try await world.call(2)["refresh"] != nil }
    let call = try await world.call(2)

    #expect(stale.freshness == .stale)
    #expect(try await world.rows().count == 2)
    #expect(call["freshness"] as? String == "stale")
    let refresh = try #require(call["refresh"] as? [String: Any])
    #expect(try strings(refresh["explanation"]).contains { $0.hasPrefix("conditional GET") })
    #expect(try chain(call).contains { $0.hasPrefix("revalidate: expired → asks the network") })
  }

  @Test func `shows a failure with its explanation, and a copy that replaces it`() async throws {
    let isDown = Shared(false)
    let world = InspectorWorld { _ in
      isDown.value
        ? .failure(.connection(.refused, url: "http://a.test/one")) : .cached("x", "max-age=1")
    }
    _ = try await world.client.resource(Request(.get, Self.url)).value
    isDown.value = true
    world.time.value = InspectorWorld.start + 20
    let copy = try await world.client.resource(Request(.get, Self.url)).value
    await #expect(throws: FreshetError.self) {
      try await world.client.resource(Request(.get, "http://a.test/other")).value
    }

    let rows = try await world.rows()
    let failed = try await world.call(3)

    #expect(copy.freshness == .stale)
    #expect(rows.map { $0["state"] as? String } == ["succeeded", "succeeded", "failed"])
    #expect((rows[1]["error"] as? String)?.contains("refused") == true)
    #expect(try strings(failed["explanation"]).last?.hasPrefix("failed: ") == true)
    #expect(try chain(failed).contains("download:  → failed"))
  }

  @Test func `shows a fetch whose reader stopped as abandoned`() async throws {
    let gate = Gate()
    let world = InspectorWorld { _ in .cached("x").waiting(for: gate) }
    let request = try Request(.get, Self.url)
    let task = Task { try await world.client.resource(request).value }
    await gate.waiting()
    task.cancel()
    _ = try? await task.value

    #expect(try await world.rows().map { $0["state"] as? String } == ["abandoned"])
  }

  @Test func `shows calls past the stores with their detours`() async throws {
    let count = Shared(0)
    let world = InspectorWorld(
      { _ in
        count.value += 1
        return count.value == 1 ? ScriptedResponse(503) : .text("x")
      },
      configure: { $0.retry = RetryPolicy(retries: 2, after: .zero) }
    )
    let response = try await world.client.send(Request(.get, Self.url)) { $0.tags = ["feed"] }.value

    let row = try await world.rows()[0]
    let call = try await world.call(1)

    #expect(row["kind"] as? String == "call" && row["tags"] as? [String] == ["feed"])
    #expect(row["status"] as? Int == 200 && row["bytes"] as? Int == 1)
    #expect(try strings(call["explanation"]) == response.explanation.map(\.description))
    #expect(try bars(row).first == "retry")
    #expect(call["stages"] == nil)
  }

  @Test func `a fetch is one row, and not a call as well`() async throws {
    let world = InspectorWorld { _ in .cached("x") }
    _ = try await world.client.resource(Request(.get, Self.url)).value
    _ = try await world.client
      .send(Request(.get, Self.url)) {
        $0.cache = ResourcePolicy()
        $0.retry = .never
      }
      .value

    #expect(try await world.rows().map { $0["kind"] as? String } == ["fetch", "fetch"])
  }

  @Test func `sends a request again, also past the stores`() async throws {
    let world = InspectorWorld { _ in .cached("x") }
    _ = try await world.client.resource(Request(.get, Self.url)).value
    #expect(await world.post("api/calls/1/again").status == 200)
    try await until { world.inspector.recorder.totals.succeeded == 2 }
    #expect(await world.post("api/calls/1/again?past=stores").status == 200)
    try await until { world.inspector.recorder.totals.succeeded == 3 }

    let rows = try await world.rows()

    #expect(rows.map { $0["source"] as? String } == ["network", "memory", "network"])
  }

  @Test func `sends a request of an upload again as a call with its own retries`() async throws {
    let count = Shared(0)
    let world = InspectorWorld(
      { _ in
        count.value += 1
        return ScriptedResponse(count.value == 2 ? 503 : 201)
      },
      configure: { $0.retry = RetryPolicy(retries: 1, after: .zero) }
    )
    var request = try Request(.put, Self.url)
    request.body = .text("x")
    _ = try await world.client.upload(request) { $0.creation = .optimistic }.value

    #expect(await world.post("api/calls/1/again").status == 200)
    try await until { world.inspector.recorder.totals.succeeded == 2 }

    #expect(try await world.rows().map { $0["status"] as? Int } == [201, 201])
  }

  @Test(arguments: [true, false])
  func `sends a stream again if it can be read again`(isReplayable: Bool) async throws {
    let world = InspectorWorld { _ in .text("x") }
    var request = try Request(.put, Self.url)
    request.body = .stream(isReplayable: isReplayable) { AsyncStream<Data> { $0.finish() } }
    _ = try await world.client.send(request).value

    #expect(await world.post("api/calls/1/again").status == (isReplayable ? 200 : 404))
  }

  @Test func `sends a call that passed no store again without filling one`() async throws {
    let world = InspectorWorld { _ in .cached("x") }
    _ = try await world.client.send(Request(.get, Self.url)).value
    #expect(await world.post("api/calls/1/again?past=stores").status == 200)
    try await until { world.inspector.recorder.totals.succeeded == 2 }

    #expect(try await world.rows().map { $0["kind"] as? String } == ["call", "call"])
    #expect(world.memory.count == 0)
  }

  @Test func `shows a batch with its progress and its failures`() async throws {
    let world = InspectorWorld { request in
      request.url.path == "/bad"
        ? .failure(.connection(.refused, url: "http://a.test/bad")) : .cached("12345")
    }
    let urls = try ["one", "two", "bad"].map { try #require(URL(string: "http://a.test/\($0)")) }
    _ = try await world.client.batch(urls).run().value

    let batches = try #require(try await world.json("api/state")["batches"] as? [[String: Any]])
    let rows = try await world.rows()

    let batch = try #require(batches.first)
    #expect(batches.count == 1 && batch["state"] as? String == "succeeded")
    #expect(batch["items"] as? Int == 3 && batch["ended"] as? Int == 3)
    #expect(batch["failed"] as? Int == 1)
    let failures = try #require(batch["failures"] as? [[String]])
    #expect(failures.map { $0[0] } == ["http://a.test/bad"] && failures[0][1].contains("refused"))
    #expect(rows.count == 3)
  }

  @Test func `shows the newest value of a sequence`() async throws {
    let world = InspectorWorld { _ in .cached("x") }
    world.inspector.show(
      "queue",
      AsyncStream { stream in
        for count in 1...3 { stream.yield("<b>\(count)</b>") }
        stream.finish()
      }
    )
    try await until { world.inspector.shows.values.first?.hasEnded == true }
    let live = try #require(try await world.json("api/state")["live"] as? [[String: Any]])

    #expect(live[0]["name"] as? String == "queue" && live[0]["count"] as? Int == 3)
    #expect(live[0]["text"] as? String == "<b>3</b>")
  }

  @Test func `shows at most 4 KiB of the failure of a sequence`() async throws {
    struct LongFailure: Error, CustomStringConvertible {
      let description = String(repeating: "7", count: 100_000)
    }
    let world = InspectorWorld { _ in .cached("x") }
    let values = AsyncThrowingStream<Int, any Error> { $0.finish(throwing: LongFailure()) }
    world.inspector.show("queue", values)
    try await until { world.inspector.shows.values.first?.hasEnded == true }

    #expect(world.inspector.shows.values.first?.text.utf8.count == 4 << 10)
  }

  @Test func `reads no sequence after it was stopped`() async throws {
    let world = InspectorWorld { _ in .cached("x") }
    world.inspector.stop()
    world.inspector.show("queue", AsyncStream<Int> { $0.finish() })

    #expect(world.inspector.shows.values.isEmpty)
  }

  @Test func `takes no sequence that comes while it is stopped`() {
    let world = InspectorWorld { _ in .cached("x") }
    let shows = world.inspector.shows
    shows.stop()
    shows.add("queue", AsyncStream<Int> { $0.finish() })

    #expect(shows.values.isEmpty)
  }

  @Test func `the end of a sequence does not end a later one of its name`() async throws {
    let world = InspectorWorld { _ in .cached("x") }
    let (earlier, ending) = AsyncStream.makeStream(of: Int.self)
    let (later, values) = AsyncStream.makeStream(of: Int.self)
    let shows = world.inspector.shows
    world.inspector.show("queue", earlier)
    ending.yield(1)
    try await until { shows.values.first?.text == "1" }
    world.inspector.show("queue", later)
    ending.finish()
    values.yield(2)
    try await until { shows.values.first?.text == "2" }
    values.yield(3)
    try await until { shows.values.first?.text == "3" }

    #expect(shows.values.count == 1)
    #expect(shows.values.first?.count == 2 && shows.values.first?.hasEnded == false)
    values.finish()
  }

  @Test func `shows no secret that diagnostics would not show`() async throws {
    let secret = "s3cr3t-0123456789"
    let world = InspectorWorld(
      { _ in
        ScriptedResponse(
          headers: [
            .contentType: "application/json", .setCookie: "session=\(secret)",
            "X-Auth-Token": secret, .location: "http://user:\(secret)@a.test/?token=\(secret)",
          ],
          body: Data(#"{"name": "ann", "password": "\#(secret)"}"#.utf8)
        )
      },
      configure: {
        $0.headers = [.authorization: "Bearer \(secret)", "X-Mine": secret]
        $0.secretHeaders = ["X-Mine"]
      },
      inspector: { $0.bodies = .shown(upTo: 1_000) }
    )
    let request = Request(
      .post,
      try #require(URL(string: "http://a.test/login?token=\(secret)&q=ann#\(secret)")),
      body: .bytes(
        Data(#"{"user": "ann", "password": "\#(secret)"}"#.utf8),
        contentType: MediaType("application/json")
      )
    )
    _ = try await world.client.send(request).value
    _ = try await world.client.resource(Request(.get, request.url)).value

    for path in [
      "api/state", "api/stores", "api/calls/1", "api/calls/2", "export/explanations.txt",
      "export/calls.har",
    ] {
      let text = await world.get(path).text
      #expect(!text.isEmpty && !text.contains(secret), "\(path)")
    }
    let call = try await world.call(1)
    let body = try #require((call["response"] as? [String: Any])?["body"] as? String)
    #expect(body.contains("ann"))
  }

  @Test func `the archive has the requests that were sent, and no body that is hidden`()
    async throws
  {
    let gate = Gate()
    let world = InspectorWorld { request in
      if request.headers.contains(.ifNoneMatch) {
        return ScriptedResponse(304, headers: [.eTag: "\"v1\"", .cacheControl: "max-age=60"])
      }
      let answer = ScriptedResponse.cached("x")
      return request.url.path == "/shared" ? answer.waiting(for: gate) : answer
    }
    let request = try Request(.get, Self.url)
    _ = try await world.client.resource(request).value
    _ = try await world.client.resource(request).value
    world.time.value = InspectorWorld.start + 100
    _ = try await world.client.resource(request).value
    var post = try Request(.post, "http://a.test/post")
    post.body = .bytes(Data("7".utf8), contentType: MediaType("text/plain"))
    _ = try await world.client.send(post).value
    let shared = try Request(.get, "http://a.test/shared")
    let first = Task { try await world.client.resource(shared).value }
    await gate.waiting()
    let second = Task { try await world.client.resource(shared).value }
    try await until { try await world.rows().count == 6 }
    try await until { try await chain(world.call(6)).contains { $0.hasSuffix("shared") } }
    gate.open()
    _ = (try await first.value, try await second.value)

    let har = try await world.json("export/calls.har")
    let log = try #require(har["log"] as? [String: Any])
    let entries = try #require(log["entries"] as? [[String: Any]])
    let requests = entries.compactMap { $0["request"] as? [String: Any] }
    let urls = requests.map { $0["url"] as? String }

    #expect(try await world.rows().count == 6)
    #expect(urls == [Self.url, Self.url, "http://a.test/post", "http://a.test/shared"])
    let responses = entries.compactMap { $0["response"] as? [String: Any] }
    #expect(responses.map { $0["status"] as? Int } == [200, 304, 200, 200])
    func field(_ name: String, of message: [String: Any]) -> String? {
      let pairs = message["headers"] as? [[String: String]] ?? []
      return pairs.first { $0["name"]?.lowercased() == name }?["value"]
    }
    #expect(field("if-none-match", of: requests[1]) == "\"v1\"")
    #expect(field("etag", of: responses[1]) == "\"v1\"")
    #expect((responses[1]["content"] as? [String: Any])?["size"] as? Int == 0)
    #expect(
      entries.map { $0["comment"] as? String } == [
        nil, "It confirmed a stored response with status 200 and 1 bytes.", nil, nil,
      ]
    )
    #expect((requests[2]["postData"] as? [String: Any])?["text"] == nil)
    #expect(requests[2]["bodySize"] as? Int == 1)
  }

  @Test func `the archive has no request that was refused, and no fragment`() async throws {
    let world = InspectorWorld { request in
      request.url.path == "/refused"
        ? .failure(.invalidRequest("its URL has a password", url: "")) : .cached("x")
    }
    _ = try? await world.client.send(Request(.get, "http://a.test/refused")).value
    _ = try await world.client.send(Request(.get, Self.url + "#part")).value

    let har = try await world.json("export/calls.har")
    let log = try #require(har["log"] as? [String: Any])
    let entries = try #require(log["entries"] as? [[String: Any]])
    let urls = entries.map { ($0["request"] as? [String: Any])?["url"] as? String }
    let curl = try #require(try await world.call(2)["curl"] as? String)

    #expect(try await world.rows().count == 2)
    #expect(urls == [Self.url])
    #expect(curl.contains(Self.url) && !curl.contains("#"))
  }

  @Test(arguments: [InspectedBodies.hidden, .shown(upTo: 13), .shown(upTo: 14)])
  func `a command has a body only if it is shown`(bodies: InspectedBodies) async throws {
    let world = InspectorWorld({ _ in .cached("x") }, inspector: { $0.bodies = bodies })
    let body = RequestBody.bytes(
      Data(#"{"name":"ann"}"#.utf8),
      contentType: MediaType("application/json")
    )
    let url = try #require(URL(string: Self.url))
    _ = try await world.client.send(Request(.post, url, body: body)).value

    let curl = try #require(try await world.call(1)["curl"] as? String)

    #expect(curl.contains("ann") == (bodies == .shown(upTo: 14)))
    #expect(curl.contains("<14 bytes>") == (bodies != .shown(upTo: 14)))
  }

  @Test func `shows bodies only if they are asked for`() async throws {
    let picture = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0])
    let answer: @Sendable (Request) -> ScriptedResponse = { request in
      request.url.path == "/picture"
        ? ScriptedResponse(headers: [.contentType: "image/png"], body: picture)
        : .json(#"{"a": [1, 2]}"#)
    }
    let hidden = InspectorWorld(answer)
    let shown = InspectorWorld(answer, inspector: { $0.bodies = .shown(upTo: 100) })
    for world in [hidden, shown] {
      _ = try await world.client.send(Request(.get, "http://a.test/json")).value
      _ = try await world.client.resource(Request(.get, "http://a.test/picture")).value
    }

    let response = try #require(try await shown.call(1)["response"] as? [String: Any])
    #expect(response["body"] as? String == #"{"a": [1, 2]}"#)
    let bytes = await shown.get("api/calls/2/picture")
    #expect(bytes.data == picture && bytes.headers[.contentType] == "image/png")
    #expect(await shown.get("api/calls/1/picture").status == 404)
    let without = try #require(try await hidden.call(1)["response"] as? [String: Any])
    #expect(without["body"] as? String == "")
    #expect(await hidden.get("api/calls/2/picture").status == 404)
  }

  @Test func `a client without an inspector is not observed, and is not once it is stopped`()
    async throws
  {
    let world = InspectorWorld { _ in .cached("x") }
    world.inspector.stop()
    _ = try await world.client.resource(Request(.get, Self.url)).value

    #expect(world.inspector.recorder.totals.began == 0)
  }
}
