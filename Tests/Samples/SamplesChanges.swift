import Foundation
import Freshet
import FreshetModels

private struct Spring: PersistableModel {
  static let modelName = "Spring"
  let id: Int
  var name: String
}

private struct SpringError: Decodable, Sendable {
  var message: String
}

private struct ListSprings: Endpoint {
  typealias Output = [Spring]
  var path: RequestPath { "springs" }
}

private struct Rename: ModelChange {
  static let changeName = "Rename"
  typealias Subject = Spring
  typealias Output = Spring
  typealias Failure = SpringError
  var subjectID: Int
  var name: String
  var method: HTTPMethod { .patch }
  var path: RequestPath { "springs/\(subjectID)" }
  var body: RequestBody? { get throws { try .json(["name": name]) } }

  func apply(to models: ModelTransaction) throws(FreshetError) {
    guard var spring = try models.model(Spring.self, id: subjectID) else { return }
    spring.name = name
    try models.save(spring)
  }
}

private struct Report: PersistableModel {
  static let modelName = "Report"
  let id: Int
  var text: String
  var revision: Int
}

private struct Reword: ModelChange {
  static let changeName = "Reword"
  typealias Subject = Report
  typealias Output = Report
  var subjectID: Int
  var text: String
  var revision: Int
  var method: HTTPMethod { .patch }
  var path: RequestPath { "reports/\(subjectID)" }
  var headers: HTTPHeaders { [.ifMatch: "\"\(revision)\""] }
  var body: RequestBody? { get throws { try .json(["text": text]) } }

  func apply(to models: ModelTransaction) throws(FreshetError) {
    guard var report = try models.model(Report.self, id: subjectID) else { return }
    report.text = text
    try models.save(report)
  }
}

private struct AddSpring: ModelChange {
  static let changeName = "AddSpring"
  static let createsSubject = true
  typealias Subject = Spring
  typealias Output = Spring
  var subjectID = TemporaryID.integer()
  var name: String
  var method: HTTPMethod { .post }
  var path: RequestPath { "springs" }
  var body: RequestBody? { get throws { try .json(["name": name]) } }

  func apply(to models: ModelTransaction) throws(FreshetError) {
    try models.save(Spring(id: subjectID, name: name))
  }
}

private func making(_ client: Client, _ models: ModelStore) async throws {
  let changes = client.changes(in: models) {
    $0.register(Rename.self, superseding: .lastWriteWins)
    $0.register(AddSpring.self)
  }
  try await changes.add(Rename(subjectID: 7, name: "Loue"))
}

private func showing(
  _ client: Client,
  _ models: ModelStore,
  _ springs: ModelQuery<Spring>
) async throws {
  func show(_ value: [Spring], isPending: (Spring) -> Bool) {}
  func show(_ value: Spring?, isPending: Bool) {}
  for try await live in client.live(ListSprings(), springs, in: models) {
    show(live.value, isPending: { live.pending.contains($0) })
  }
  for try await spring in models.observe(Spring.self, id: 7).withPending {
    show(spring.value, isPending: spring.isPending)
  }
}

private func waiting(
  _ changes: ChangeQueue,
  show: (Spring) -> Void,
  say: (String) -> Void
) async throws {
  let receipt = try await changes.add(Rename(subjectID: 7, name: "Doubs"))
  do throws(CallError<SpringError>) {
    show(try await receipt.output)
  } catch {
    say(error.model?.message ?? "\(error)")
  }
}

private func resolving(_ client: Client, _ models: ModelStore) -> ChangeQueue {
  client.changes(in: models) {
    $0.register(
      Rename.self,
      conflicts: .resolving { conflict in
        if conflict.theirs?.name == conflict.base?.name { return .mine(conflict.change) }
        return .theirs(conflict.theirs)
      }
    )
  }
}

private func revising(_ client: Client, _ models: ModelStore) -> ChangeQueue {
  client.changes(in: models) {
    $0.register(
      Reword.self,
      conflicts: .resolving { conflict in
        guard let theirs = conflict.theirs, theirs.text == conflict.base?.text else {
          return .theirs(conflict.theirs)
        }
        var change = conflict.change
        change.revision = theirs.revision
        return .mine(change)
      }
    )
  }
}

private func signingOut(
  _ session: Authenticator,
  _ client: Client,
  _ changes: ChangeQueue,
  _ models: ModelStore,
  _ folder: URL
) async throws {
  session.signOut()
  await client.shutdown(grace: .zero)
  try await changes.removeAll()
  await changes.stop()
  try await models.removeAll()
  await models.close()
  try FileManager.default.removeItem(at: folder)
}

private func refetching(
  _ client: Client,
  _ models: ModelStore,
  _ springs: ModelQuery<Spring>,
  _ network: AsyncStream<Bool>
) {
  let live = client.live(ListSprings(), springs, in: models)
    .refetched(on: .every(.seconds(60)), .online(network), .tag("springs"))
  _ = live
}
