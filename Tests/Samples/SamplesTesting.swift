import Foundation
import Freshet
import FreshetTesting
import Testing

struct NewsScreen: Sendable {
  let client: Client

  func headlines() async throws(FreshetError) -> [String] {
    try await client.send(.get("news")).decode([String].self).output
  }
}

@Suite struct TestingSamples {
  let url = URL(string: "http://api.example/news") ?? URL(filePath: "/")

  @Test func `shows the headlines`() async throws {
    let transport = ScriptedTransport([
      "http://api.example/news": .json(#"["Dry all week"]"#)
    ])
    let client = Client {
      $0.transport = transport
      $0.baseURL = URL(string: "http://api.example")
    }

    #expect(try await NewsScreen(client: client).headlines() == ["Dry all week"])
    #expect(transport.requests.map(\.method) == [.get])
  }

  @Test func `pays once`() async throws {
    let transport = ScriptedTransport([
      "GET http://api.example/payments": .json("[]"),
      "POST http://api.example/payments": .json(#"{"id": 1}"#, status: 201),
    ])
    let client = Client {
      $0.transport = transport
      $0.baseURL = URL(string: "http://api.example")
    }

    _ = try await client.send(.post("payments", body: try .json(["amount": 5]))).value

    #expect(transport.requests.map(\.method) == [.post])
    #expect(transport.requests.first?.body?.bytes == Data(#"{"amount":5}"#.utf8))
  }

  @Test func `keeps its value when a refresh fails halfway`() async throws {
    let clock = VirtualClock()
    let lost = FreshetError.connection(.lost, url: "http://api.example/news")
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(headers: [.cacheControl: "max-age=60"], body: Data("old".utf8)),
      ScriptedResponse(chunks: [Data("ne".utf8)]).failing(with: lost, at: .afterChunks(1)),
    ])
    let client = Client {
      $0.transport = transport
      $0.now = { clock.date }
    }

    _ = try await client.resource(at: url).value
    clock.advance(by: .seconds(120))
    let news = try await client.resource(at: url).value

    #expect(try news.data() == Data("old".utf8))
    #expect(news.freshness == .stale)
    #expect(news.explanation.first == .hit(.memory))
  }

  @Test func `leaving the screen ends the request`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [.text("late").waiting(for: gate)])
    let client = Client { $0.transport = transport }

    let screen = Task { try await client.resource(at: url).value }
    await gate.waiting()
    screen.cancel()

    #expect(await transport.counted { $0.cancelled == 1 })
  }

  @Test func `retries after the time that the server asks for`() async throws {
    let clock = VirtualClock()
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(503, headers: [.retryAfter: "30"]), .text("here"),
    ])
    let client = Client {
      $0.transport = transport
      $0.retry = .standard
      $0.clock = clock
      $0.now = { clock.date }
    }

    let running = client.send(Request(url)).start()
    await clock.sleepers(count: 1)
    clock.advance()

    #expect(try await running.value.status == .ok)
    #expect(clock.now.offset >= .seconds(30))
  }

  @Test func `a truncated body is an error`() async throws {
    let server = try LoopbackServer([
      "/film": .content(Data(count: 10_000)).truncated(after: 4_000)
    ])

    let error = await #expect(throws: FreshetError.self) {
      try await Client().resource(at: server.url("/film")).value
    }

    #expect(error?.kind == "connection")
    await server.stop()
  }

  @Test func `finds it on the disk after a restart`() async throws {
    try await TemporaryDirectory.scope { directory in
      let transport = ScriptedTransport(sequence: [
        ScriptedResponse(headers: [.cacheControl: "max-age=3600"], body: Data("news".utf8))
      ])
      for origin in [Resource.Source.network, .disk] {
        let disk = DiskStore(directory: directory.url)
        let client = Client {
          $0.transport = transport
          $0.disk = disk
        }
        let resource = try await client.resource(at: url).value
        #expect(resource.source == origin)
        await disk.close()
      }
    }
  }

  @Test func `replays a recording`() async throws {
    let folder = try TemporaryDirectory()
    let archive = folder.file("news.har")
    let server = try LoopbackServer(["/news": .json(#"["Dry all week"]"#)])
    try await record(server.url(), archive)
    await server.stop()

    let screen = try replayed(server.url(), archive)

    #expect(try await screen.headlines() == ["Dry all week"])
  }

  private func record(_ baseURL: URL, _ archive: URL) async throws {
    let recorder = HARRecorder()
    let client = Client {
      $0.transport = DefaultTransport().recording(to: recorder)
      $0.baseURL = baseURL
    }
    _ = try await NewsScreen(client: client).headlines()
    try recorder.write(to: archive)
  }

  private func recorderOfPages() -> HARRecorder {
    var rules = SecretRules.standard
    rules.unparsedBodies = .shown
    let recorder = HARRecorder(rules: rules)
    return recorder
  }

  private func replayed(_ baseURL: URL, _ archive: URL) throws -> NewsScreen {
    let replay = try ReplayTransport(contentsOf: archive)
    let client = Client {
      $0.transport = replay
      $0.baseURL = baseURL
    }
    return NewsScreen(client: client)
  }

  @Test func `loses every third request`() async throws {
    let transport = ScriptedTransport { _ in .text("news") }
    let lost = FreshetError.connection(.lost, url: "http://api.example/news")
    let flaky = FaultyTransport(transport, .every(3), with: lost)
    let unreliable = FaultyTransport(transport, .probability(0.2, seed: 7), with: lost)
    _ = unreliable
    let client = Client { $0.transport = flaky }

    var failures = 0
    for _ in 1...6 {
      do {
        _ = try await client.send(Request(url)).value
      } catch {
        failures += 1
      }
    }

    #expect(failures == 2)
  }
}
