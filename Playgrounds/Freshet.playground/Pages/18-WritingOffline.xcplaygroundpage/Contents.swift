//: # Writing offline
//: A change is stored before it is sent: the screen shows it at once, and the server gets it when it can.
import Foundation
import Freshet
import FreshetModels
import FreshetTesting

struct Spring: PersistableModel, Equatable {
  static let modelName = "Spring"
  var id: Int, name: String
}

//: A change is an endpoint that also says what it does to the models.
struct Rename: ModelChange {
  static let changeName = "Rename"
  typealias Subject = Spring
  typealias Output = Spring
  var subjectID: Int, name: String
  var method: HTTPMethod { .patch }
  var path: RequestPath { "springs/\(subjectID)" }
  var body: RequestBody? { get throws { try .json(["name": name]) } }
  func apply(to models: ModelTransaction) throws(FreshetError) {
    guard var spring = try models.model(Spring.self, id: subjectID) else { return }
    spring.name = name
    try models.save(spring)
  }
}

do {
  //: The service loses the first request, answers the second, and refuses the third.
  let origin = try LoopbackServer([
    "/springs/1": .sequence([
      .closeBeforeResponse, .json(#"{"id": 1, "name": "Doubs"}"#), .json("{}", status: 422),
    ])
  ])
  let models = ModelStore.inMemory()
  try await models.save(Spring(id: 1, name: "Loue"))
  let client = Client { $0.baseURL = origin.url("/") }
  let changes = client.changes(in: models) {
    $0.register(Rename.self)
    $0.retry.baseDelay = .milliseconds(10)
  }
  changes.pause()
  try await changes.add(Rename(subjectID: 1, name: "Doubs"))
  for try await spring in models.observe(Spring.self, id: 1).withPending {
    print(spring.value?.name ?? "none", spring.isPending ? "pending" : "confirmed")
    changes.resume()
    if !spring.isPending { break }
  }
  let keys = origin.requests.compactMap { $0.headers[.idempotencyKey] }
  print("requests", keys.count, "keys", Set(keys).count)
  //: What the server refuses is taken back.
  _ = try? await changes.add(Rename(subjectID: 1, name: "Orbe")).output
  let name = try await models.model(Spring.self, id: 1)?.name ?? "none"
  print("refused", try await changes.state().failed.count, "again", name)
} catch {
  print("failed:", error)
}

//: [Next](@next)
