//: # Models on screen
//: The screen reads from the store, and the network writes to it: so it works without one.
import Foundation
import Freshet
import FreshetModels
import FreshetTesting

//: Declaring a type is enough. A keeper is a model too: it is stored as itself.
struct Spring: PersistableModel, Equatable {
  static let modelName = "Spring"
  var id: Int, name: String, keeper: Keeper
}
struct Keeper: PersistableModel, Equatable {
  static let modelName = "Keeper"
  var id: Int, name: String
}

//: At each launch an app shows what is stored, and asks behind it: what is listed no longer goes.
func open(_ launch: String, _ directory: URL, _ client: Client) async throws {
  let models = ModelStore(directory: directory)
  let service = client.send(.get("springs.json")).decode([Spring].self)
  for try await live in models.live(ModelQuery(Spring.self), saving: .replacing, by: service) {
    let names = live.value.map { "\($0.name) (\($0.keeper.name))" }
    let isAsking = live.state == .refreshing
    print("\(launch):", isAsking ? "asking" : live.failure == nil ? "fresh" : "no answer", names)
    if !isAsking { break }
  }
  await models.close()
}

//: Any write reaches the screen.
func rename(_ directory: URL) async throws {
  let models = ModelStore(directory: directory)
  var springs = models.observe(ModelQuery(Spring.self)).makeAsyncIterator()
  _ = try await springs.next()
  try await models.save(Keeper(id: 1, name: "Grace"))
  print("renamed:", try await springs.next()?.first?.keeper.name ?? "")
  await models.close()
}

do {
  let loue = #"{"id": 1, "name": "Loue", "keeper": {"id": 1, "name": "Ada"}}"#
  let orbe = #"{"id": 2, "name": "Orbe", "keeper": {"id": 1, "name": "Ada"}}"#
  let directory = try TemporaryDirectory()
  let origin = try LoopbackServer([
    "/springs.json": .sequence([.json("[\(orbe), \(loue)]"), .json("[\(loue)]")])
  ])
  let client = Client { $0.baseURL = origin.url("/") }
  try await open("first launch", directory.file("models"), client)
  try await open("second launch", directory.file("models"), client)
  try await rename(directory.file("models"))
  //: The next launch, without a network.
  await origin.stop()
  try await open("next launch", directory.file("models"), client)
  withExtendedLifetime(directory) {}
} catch {
  print("failed:", error)
}

//: [Next](@next)
