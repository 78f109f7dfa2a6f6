//: # Models on screen
//: The screen reads from the store, the network writes to it. So a list is there before the network
//: answers, changes when it does, and survives a restart without a network.
import Foundation
import Freshet
import FreshetTesting

//: Declaring a type is enough. A keeper is a model too: it is stored as itself, once.
struct Spring: PersistableModel, Equatable {
  static let modelName = "Spring"
  static let indexes = [ModelIndex(\Spring.name, "name")]
  let id: Int
  var name: String
  var keeper: Keeper
}

struct Keeper: PersistableModel, Equatable {
  static let modelName = "Keeper"
  let id: Int
  var name: String
}

struct Springs: Endpoint {
  typealias Output = [Spring]
  var path: RequestPath { "springs.json" }
}

//: What the app does each time it is opened: it shows what is stored, and asks behind it.
func open(_ launch: String, _ directory: URL, _ client: Client) async throws {
  let models = ModelStore(directory: directory)
  let list = ModelQuery(Spring.self).sorted(by: \.name)
  for try await live in models.live(list, by: client.call(Springs())) {
    let names = live.value.map { "\($0.name) (\($0.keeper.name))" }
    print("\(launch):", names.isEmpty ? "nothing" : names.joined(separator: ", "))
    switch live.state {
    case .stored, .refreshing: continue
    case .fresh: print("\(launch): up to date")
    case .failed: print("\(launch): no answer")
    }
    break
  }
  await models.close()
}

//: Any write reaches the screen, also one that has nothing to do with the list.
func rename(_ directory: URL) async throws {
  let models = ModelStore(directory: directory)
  var springs = models.observe(ModelQuery(Spring.self)).makeAsyncIterator()
  _ = try await springs.next()
  try await models.save(Keeper(id: 1, name: "Grace"))
  let names = try await springs.next()?.map(\.keeper.name) ?? []
  print("renamed:", names.joined(separator: ", "))
  await models.close()
}

func show(_ origin: LoopbackServer, _ directory: URL) async throws {
  let client = Client { $0.baseURL = origin.url("/") }
  let ada = #"{"id": 1, "name": "Ada"}"#
  let loue = #"{"id": 1, "name": "Loue", "keeper": \#(ada)}"#
  let doubs = #"{"id": 2, "name": "Doubs", "keeper": \#(ada)}"#

  origin.route("/springs.json", .json("[\(loue)]"))
  try await open("first launch", directory, client)

  origin.route("/springs.json", .json("[\(loue), \(doubs)]"))
  try await open("second launch", directory, client)

  try await rename(directory)

  await origin.stop()
  try await open("without a network", directory, client)
}

do {
  let directory = try TemporaryDirectory()
  try await show(try LoopbackServer(), directory.file("models"))
  withExtendedLifetime(directory) {}
} catch {
  print("failed:", error)
}
