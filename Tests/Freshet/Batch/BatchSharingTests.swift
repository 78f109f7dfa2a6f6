import Foundation
import Freshet
import FreshetTesting
import Testing

/// A batch's transfers are everybody's, and what they bring is kept.
@Suite(.timeLimit(.minutes(5))) struct BatchFlightTests {
  private let world = BatchWorld()

  private func response(_ text: String) -> ScriptedResponse {
    ScriptedResponse(headers: [.cacheControl: "max-age=60"], body: Data(text.utf8))
  }

  @Test func `a late subscriber gets the newest progress and the value`() async throws {
    let gate = world.gate
    let transport = ScriptedTransport { _ in
      ScriptedResponse(
        headers: [.contentLength: "9"],
        chunks: [Data("one".utf8), Data("two".utf8), Data("six".utf8)]
      )
      .waiting(for: gate, at: .afterChunks(2))
    }
    let client = world.client(transport)
    let batch = client.batch([BatchWorld.url("a")]).run().start()
    await gate.waiting()

    var sizes: [Int64] = []
    var text: String?
    for try await event in client.resource(at: BatchWorld.url("a")) {
      switch event {
      case .progress(let progress):
        sizes.append(progress.completed)
        gate.open()
      case .value(let resource):
        text = try String(decoding: resource.data(), as: UTF8.self)
      }
    }

    #expect(sizes.first == 6)
    #expect(text == "onetwosix")
    #expect(try await batch.value.completedItems == 1)
    #expect(transport.counts.started == 1)
  }

  @Test func `a downloaded resource is in all stores`() async throws {
    let directory = try TemporaryDirectory()
    let (memory, disk) = (MemoryStore(), DiskStore(directory: directory.url))
    let transport = ScriptedTransport { [self] _ in response("one") }
    let client = Client {
      $0.transport = transport
      $0.memory = memory
      $0.disk = disk
    }

    _ = try await client.batch([BatchWorld.url("a")]).run().value

    let offline = ResourcePolicy { $0.network = .forbidden }
    for store in [Resource.Source.memory, .disk] {
      let reader = Client {
        $0.memory = store == .memory ? memory : nil
        $0.disk = store == .disk ? disk : nil
      }
      let copy = try await reader.resource(at: BatchWorld.url("a"), policy: offline).value
      #expect(copy.source == store && copy.freshness == .fresh)
    }
    #expect(transport.counts.started == 1)
  }

  @Test(arguments: [404, 410] as [HTTPStatus])
  func `a 404 or a 410 lets the stored copy expire`(status: HTTPStatus) async throws {
    let transport = ScriptedTransport(
      sequence: [response("one"), ScriptedResponse(status), response("two")]
    )
    let client = world.client(transport)
    _ = try await client.resource(at: BatchWorld.url("a")).value

    let anew = ResourcePolicy { $0.network = .required }
    let result = try await client.batch([BatchWorld.url("a")], policy: anew).run().value

    #expect(result.failures.count == 1)
    let next = try await client.resource(at: BatchWorld.url("a")).value
    #expect(try String(decoding: next.data(), as: UTF8.self) == "two")
  }
}
