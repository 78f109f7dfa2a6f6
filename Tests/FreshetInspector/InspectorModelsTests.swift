import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Testing

@testable import FreshetInspector

@Suite struct InspectorModelsTests {
  private let models = ModelStore.inMemory()
  private let gate = Gate()

  private struct Spring: PersistableModel, Hashable {
    static let modelName = "Spring"
    let id: Int
    var name: String
  }

  /// Its name begins with that of the other model.
  private struct Springboard: PersistableModel, Hashable {
    static let modelName = "Springboard"
    let id: String
  }

  private struct Springs: Endpoint {
    typealias Output = [Spring]
    var path: RequestPath { "springs" }
  }

  private struct Rename: ModelChange {
    static let changeName = "Rename"
    typealias Subject = Spring
    typealias Output = Spring
    var subjectID: Int
    var method: HTTPMethod { .patch }
    var path: RequestPath { "springs/\(subjectID)" }

    func apply(to models: ModelTransaction) throws(FreshetError) {
      try models.save(Spring(id: subjectID, name: "Doubs"))
    }
  }

  private func stores(of world: InspectorWorld) async throws -> [[String: Any]] {
    try #require(try await world.json("api/stores")["models"] as? [[String: Any]])
  }

  private func world() -> InspectorWorld {
    InspectorWorld(
      { [gate] request in
        request.method == .patch
          ? ScriptedResponse.json("{}").waiting(for: gate)
          : .json(#"[{"id": 1, "name": "Loue"}, {"id": 2, "name": "Orbe"}]"#)
      },
      configure: { [models] in
        $0.baseURL = URL(string: "http://a.test/")
        $0.models = models
      }
    )
  }

  @Test func `shows the number, the size and the ages of the models of a client`() async throws {
    let world = world()
    try await models.save([Springboard(id: "a")])
    for try await live in world.client.live(Springs(), ModelQuery(Spring.self), in: models)
    where live.state == .fresh {
      break
    }
    let queue = ChangeQueue(models, sending: world.client) { $0.register(Rename.self) }
    _ = try await queue.add(Rename(subjectID: 1))
    let store = try #require(try await stores(of: world).first)
    let types = try #require(store["types"] as? [[String: Any]])

    #expect(store["name"] as? String == "models of a.test")
    #expect(types.map { $0["name"] as? String } == ["Spring", "Springboard"])
    #expect(types.map { $0["count"] as? Int } == [2, 1])
    #expect(types.allSatisfy { ($0["bytes"] as? Int ?? 0) > 0 })
    let spans = types.map { type in
      ["refreshes", "pending"].map { (type[$0] as? [String: Any])?["count"] as? Int }
    }
    #expect(spans == [[1, 1], [0, 0]])
    let refreshes = try #require(types[0]["refreshes"] as? [String: Any])
    let time = InspectorWorld.start.timeIntervalSince1970 * 1_000
    #expect(refreshes["first"] as? Double == time && refreshes["last"] as? Double == time)
    gate.open()
  }

  @Test func `does not count a refused change as pending`() async throws {
    let world = InspectorWorld(
      { _ in ScriptedResponse(422) },
      configure: { [models] in
        $0.baseURL = URL(string: "http://a.test/")
        $0.models = models
      }
    )
    let queue = ChangeQueue(models, sending: world.client) { $0.register(Rename.self) }
    let receipt = try await queue.add(Rename(subjectID: 1))
    await #expect(throws: (any Error).self) { try await receipt.output }
    let store = try #require(try await stores(of: world).first)
    let types = try #require(store["types"] as? [[String: Any]])

    #expect(types.map { ($0["pending"] as? [String: Any])?["count"] as? Int } == [0])
    #expect(try await queue.state().failed.count == 1)
  }

  @Test func `shows stores that no client has, each once, until it is stopped`() async throws {
    let world = world()
    let other = ModelStore.inMemory()
    for (store, name) in [(other, "Drafts"), (other, "Again"), (models, "Mine")] {
      world.inspector.add(store, name: name)
    }
    #expect(try await stores(of: world).map { $0["name"] as? String } == ["Drafts", "Mine"])

    world.inspector.stop()
    #expect(try await stores(of: world).isEmpty)
  }

  @Test func `says why a store cannot be read`() async throws {
    let world = world()
    await models.close()
    let store = try #require(try await stores(of: world).first)

    #expect((store["error"] as? String)?.contains("closed") == true)
    #expect((store["types"] as? [Any])?.isEmpty == true)
  }
}
