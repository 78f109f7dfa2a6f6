import Foundation
import Freshet
import FreshetTesting
import Testing

@testable import FreshetInspector

@Suite(.timeLimit(.minutes(10))) struct InspectorBoundsTests {
  @Test func `keeps the newest thousand of 100,000 calls, and counts all`() async throws {
    let world = InspectorWorld { _ in .cached("x") }
    let requests = try (0..<100).map { try Request(.get, "http://a.test/\($0)") }
    for index in 0..<100_000 {
      _ = try await world.client.resource(requests[index % 100]).value
    }

    let rows = try await world.rows()
    let totals = world.inspector.recorder.totals

    #expect(rows.count == 1_000)
    #expect(rows.first?["id"] as? Int == 99_001 && rows.last?["id"] as? Int == 100_000)
    #expect(totals.began == 100_000 && totals.succeeded == 100_000)
    #expect(await world.get("api/calls/99000").status == 404)
    #expect(try await world.call(99_001)["id"] as? Int == 99_001)
  }

  @Test func `keeps at most 100,000 calls, whatever capacity is asked for`() async throws {
    let world = InspectorWorld({ _ in .cached("x") }, inspector: { $0.capacity = .max })
    _ = try await world.client.resource(Request(.get, "http://a.test/one")).value

    #expect(world.inspector.recorder.capacity == 100_000)
    #expect(Inspector { $0.interval = .zero }.configuration.interval == .milliseconds(1))
    #expect(try await world.rows().count == 1)
  }

  @Test func `an event has what has changed, and few rows while many calls begin`() async throws {
    let world = InspectorWorld { _ in .cached("x") }
    let response = await world.get("api/events")
    guard case .events(let events) = response.body else { throw CancellationError() }
    var changes = events.changes
    func event() throws -> [String: Any]? {
      guard let data = changes.next() else { return nil }
      #expect(data.starts(with: Data("data: ".utf8)) && data.suffix(2) == Data("\n\n".utf8))
      return try JSONSerialization.jsonObject(with: data.dropFirst(6)) as? [String: Any]
    }
    let request = try Request(.get, "http://a.test/one")
    _ = try await world.client.resource(request).value
    let first = try event()
    let second = try event()
    for _ in 0..<150 { _ = try await world.client.resource(request).value }
    let third = try event()
    let fourth = try event()
    let fifth = try event()
    let sixth = try event()

    #expect(response.headers[.contentType] == "text/event-stream")
    #expect(first?["isWhole"] as? Bool == true && (first?["calls"] as? [Any])?.count == 1)
    #expect(second == nil)
    #expect(third?["isWhole"] as? Bool == false && third?["skipped"] as? Int == 145)
    func ids(_ event: [String: Any]?) -> [Int] {
      (event?["calls"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int }
    }
    #expect(ids(third) == Array(147...151) && ids(fourth) == Array(47...146))
    #expect(ids(fifth) == Array(2...46))
    #expect(fourth?["skipped"] as? Int == 45 && fourth?["isWhole"] as? Bool == false)
    #expect(sixth == nil)
  }

  @Test func `rows that wait for room come in their newest state, unless they are gone`() throws {
    let world = InspectorWorld { _ in .cached("x") }
    let recorder = world.inspector.recorder
    let request = try Request(.get, "http://a.test/one")
    var changes = InspectorEvents.Changes(recorder, world.inspector.shows)
    func rows() throws -> [[String: Any]] {
      let next = changes.next()
      let data = try #require(next).dropFirst(6)
      let event = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      return try #require(event["calls"] as? [[String: Any]])
    }
    _ = try rows()
    var calls = (0..<1_200).map { _ in recorder.begin(request, nil, client: 1) }
    var states: [Int: String] = [:]
    for _ in 0..<5 {
      for row in try rows() { states[row["id"] as? Int ?? 0] = row["state"] as? String }
    }
    #expect(states.keys.min() == 796 && states.values.allSatisfy { $0 == "running" })

    for call in calls { call.ended(nil) }
    calls = []
    for _ in 0..<10 {
      for row in try rows() { states[row["id"] as? Int ?? 0] = row["state"] as? String }
    }

    #expect(states.keys.sorted() == Array(201...1_200))
    #expect(states.values.allSatisfy { $0 == "succeeded" })
    #expect(changes.next() == nil)
  }

  @Test func `an event has a call as soon as it has begun`() async throws {
    let gate = Gate()
    let world = InspectorWorld { _ in ScriptedResponse.text("x").waiting(for: gate) }
    guard case .events(let events) = await world.get("api/events").body else {
      throw CancellationError()
    }
    var changes = events.changes
    _ = changes.next()
    let task = Task { try await world.client.send(Request(.get, "http://a.test/one")).value }
    await gate.waiting()
    let event = String(decoding: changes.next() ?? Data(), as: UTF8.self)
    gate.open()
    _ = try await task.value

    #expect(event.contains("http://a.test/one") && event.contains("\"state\":\"running\""))
  }

  @Test func `an event has a call and a batch that have only begun`() throws {
    let world = InspectorWorld { _ in .cached("x") }
    let recorder = world.inspector.recorder
    var changes = InspectorEvents.Changes(recorder, world.inspector.shows)
    _ = changes.next()
    let call = recorder.begin(try Request(.get, "http://a.test/slow"), nil, client: 1)
    let batch = recorder.beginBatch("a batch", client: 1)
    let next = changes.next()
    let event = String(decoding: try #require(next), as: UTF8.self)

    #expect(event.contains("http://a.test/slow") && event.contains("a batch"))
    withExtendedLifetime((call, batch)) {}
  }

  @Test func `keeps 16 MiB of bodies, and drops the oldest`() async throws {
    let body = Data(repeating: UInt8(ascii: "7"), count: 1 << 20)
    let world = InspectorWorld(
      { _ in ScriptedResponse(headers: [.contentType: "application/json"], body: body) },
      inspector: { $0.bodies = .shown(upTo: 1 << 20) }
    )
    for index in 0..<20 {
      _ = try await world.client.send(Request(.get, "http://a.test/\(index)")).value
    }

    let kept = world.inspector.recorder.rows.map(\.now.body.count)

    #expect(kept == Array(repeating: 0, count: 4) + Array(repeating: 1 << 20, count: 16))
  }

  @Test func `bodies that are too long push no other one out`() async throws {
    let mebibyte = Data(repeating: UInt8(ascii: "7"), count: 1 << 20)
    let world = InspectorWorld(
      { request in
        request.url.path == "/short"
          ? .text("x") : ScriptedResponse(chunks: [mebibyte, Data("8".utf8)])
      },
      inspector: { $0.bodies = .shown(upTo: 1 << 20) }
    )
    for path in ["short"] + (0..<20).map({ "\($0)" }) {
      _ = try await world.client.send(Request(.get, "http://a.test/\(path)")).value
    }

    let kept = world.inspector.recorder.rows.map(\.now.body.count)

    #expect(kept == [1] + Array(repeating: 0, count: 20))
  }

  @Test func `counts a body once, however many values a fetch has`() async throws {
    let mebibyte = Data(repeating: UInt8(ascii: "7"), count: 1 << 20)
    let world = InspectorWorld(
      { request in
        request.headers.contains(.ifNoneMatch)
          ? ScriptedResponse(304, headers: [.eTag: "\"v1\""])
          : ScriptedResponse(
            headers: [.cacheControl: "max-age=60", .eTag: "\"v1\""],
            body: mebibyte
          )
      },
      configure: { $0.policy.stale = .beforeValidation },
      inspector: { $0.bodies = .shown(upTo: 1 << 20) }
    )
    var values = 0
    for seconds in [0.0, 100] {
      world.time.value = InspectorWorld.start + seconds
      for path in 0..<8 {
        let request = try Request(.get, "http://a.test/\(path)")
        for try await event in world.client.resource(request) {
          if case .value = event { values += 1 }
        }
      }
    }

    #expect(values == 24)
    #expect(
      world.inspector.recorder.rows.map(\.now.body.count) == Array(repeating: 1 << 20, count: 16)
    )
  }

  @Test func `counts the body of a failed call once`() throws {
    let mebibyte = Data(repeating: UInt8(ascii: "7"), count: 1 << 20)
    let world = InspectorWorld(
      { _ in .cached("x") },
      inspector: { $0.bodies = .shown(upTo: 1 << 20) }
    )
    let request = try Request(.get, "http://a.test/1")
    let head = ResponseHead(status: 404, headers: [:], url: request.url)
    for _ in 0..<16 {
      let call = world.inspector.recorder.begin(request, nil, client: 1)
      call.received(.head(head))
      call.received(.body(mebibyte))
      call.ended(.status(head, body: mebibyte))
    }

    #expect(
      world.inspector.recorder.rows.map(\.now.body.count) == Array(repeating: 1 << 20, count: 16)
    )
  }

  @Test func `keeps the bodies of errors within the limit, and none unless asked for`()
    async throws
  {
    let body = Data(repeating: UInt8(ascii: "7"), count: 1_000)
    let cases: [(InspectedBodies, Int)] = [(.hidden, 0), (.shown(upTo: 1_000), 1_000)]
    for (bodies, count) in cases {
      let world = InspectorWorld(
        { _ in ScriptedResponse(404, body: body) },
        inspector: { $0.bodies = bodies }
      )
      await #expect(throws: FreshetError.self) {
        try await world.client.resource(Request(.get, "http://a.test/1")).value
      }
      let row = try #require(world.inspector.recorder.row(1)?.now)

      #expect(row.body.count == count)
      if case .status(let head, let kept)? = row.error {
        #expect(head.status == 404 && kept.isEmpty)
      } else {
        Issue.record("the row has no error")
      }
    }
  }

  @Test func `no single body is longer than all together may be`() {
    #expect(InspectedBodies.shown(upTo: .max).limit == 16 << 20)
    #expect(InspectedBodies.shown(upTo: -1).limit == 0)
  }

  @Test func `a list of the stores keeps no bodies`() async throws {
    let world = InspectorWorld { _ in .cached("12345") }
    _ = try await world.client.resource(Request(.get, "http://a.test/1")).value
    let client = try #require(world.inspector.clients.first)
    let entry = try #require(await client.stores().entries.first)

    #expect(entry.length == 5 && entry.response.body.length == 0)
    #expect(await entry.remove())
    #expect(world.memory.count == 0)
  }

  @Test func `keeps no body that is longer than asked for`() async throws {
    let world = InspectorWorld(
      { _ in ScriptedResponse(chunks: [Data("123".utf8), Data("45".utf8), Data("6".utf8)]) },
      inspector: { $0.bodies = .shown(upTo: 4) }
    )
    _ = try await world.client.send(Request(.get, "http://a.test/1")).value
    _ = try await world.client.resource(Request(.get, "http://a.test/1")).value

    #expect(world.inspector.recorder.rows.map(\.now.body.count) == [0, 0])
    #expect(world.inspector.recorder.rows.map(\.now.received) == [6, 6])
  }

  @Test func `releases a client and its calls with the inspector`() async throws {
    weak var recorder: Recorder?
    do {
      let world = InspectorWorld { _ in .cached("x") }
      _ = try await world.client.resource(Request(.get, "http://a.test/1")).value
      recorder = world.inspector.recorder
      #expect(recorder != nil)
    }

    // A task of the call may have to end.
    while recorder != nil, !Task.isCancelled { await Task.yield() }
    #expect(recorder == nil)
  }
}
