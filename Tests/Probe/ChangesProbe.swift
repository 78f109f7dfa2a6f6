import Foundation
import Freshet
import FreshetModels
import FreshetTesting

/// Makes changes until it kills itself, and sends them; see `ChangeCrashTests`.
///
/// - `make STORE LOG URL SEED`: makes changes of all kinds, and dies at a random moment. Its log has a
///   line `done TOKEN` for each change that was acknowledged.
/// - `finish STORE LOG URL SEED`: sends what is left, and prints `spring ID NAME LIKES` for each model.
struct ChangesProbe {
  struct Spring: PersistableModel {
    static let modelName = "Spring"
    let id: Int
    var name: String
    var likes = 0
  }

  /// A change whose answer has no model: it is confirmed by applying it.
  struct Like: ModelChange {
    static let changeName = "Like"
    typealias Subject = Spring
    typealias Output = EmptyResponse
    var subjectID: Int
    var token: String
    var method: HTTPMethod { .post }
    var path: RequestPath { "springs/\(subjectID)/likes" }
    var query: ParameterList { ["token": token] }

    func apply(to models: ModelTransaction) throws(FreshetError) {
      guard var spring = try models.model(Spring.self, id: subjectID) else { return }
      spring.likes += 1
      try models.save(spring)
    }
  }

  struct Rename: ModelChange {
    static let changeName = "Rename"
    typealias Subject = Spring
    typealias Output = Spring
    var subjectID: Int
    var token: String
    var method: HTTPMethod { .patch }
    var path: RequestPath { "springs/\(subjectID)" }
    var query: ParameterList { ["token": token] }

    func apply(to models: ModelTransaction) throws(FreshetError) {
      guard var spring = try models.model(Spring.self, id: subjectID) else { return }
      spring.name = token
      try models.save(spring)
    }
  }

  struct Add: ModelChange {
    static let changeName = "Add"
    static let createsSubject = true
    typealias Subject = Spring
    typealias Output = Spring
    var subjectID: Int
    var token: String
    var method: HTTPMethod { .post }
    var path: RequestPath { "springs" }
    var query: ParameterList { ["token": token] }

    func apply(to models: ModelTransaction) throws(FreshetError) {
      try models.save(Spring(id: subjectID, name: token))
    }
  }

  let models: ModelStore
  let log: URL
  let changes: ChangeQueue
  let seed: UInt64

  init(_ arguments: [String]) throws {
    models = ModelStore(directory: URL(filePath: arguments[1]))
    log = URL(filePath: arguments[2])
    seed = UInt64(arguments[4]) ?? 0
    let base = URL(string: arguments[3])
    let client = Client { $0.baseURL = base }
    changes = client.changes(in: models) {
      $0.retry.baseDelay = .milliseconds(2)
      $0.retry.maximumDelay = .milliseconds(20)
      $0.register(Like.self)
      $0.register(Rename.self)
      $0.register(Add.self)
    }
  }

  static func run(_ arguments: [String]) async throws {
    let probe = try ChangesProbe(arguments)
    if arguments[0] == "make" { try await probe.make() } else { try await probe.finish() }
  }

  private func make() async throws {
    var generator = SeededGenerator(seed: seed)
    let log = try CrashLog(log)
    CrashProbe.dieIn(UInt32.random(in: 0..<200_000, using: &generator))
    for number in 0... {
      let token = "\(seed)-\(number)"
      let known = try await models.models(ModelQuery(Spring.self)).map(\.id)
      let id = known.randomElement(using: &generator)
      switch (Int.random(in: 0..<8, using: &generator), id) {
      case (0, _), (_, nil):
        let id = TemporaryID.integer(using: &generator)
        try await changes.add(Add(subjectID: id, token: token))
      case (1...2, let id?): try await changes.add(Rename(subjectID: id, token: token))
      case (_, let id?): try await changes.add(Like(subjectID: id, token: token))
      }
      try log.tell("done \(token)")
      if number % 4 == 3 { try await Task.sleep(for: .milliseconds(5)) }
    }
  }

  private func finish() async throws {
    try await changes.idle()
    var lines = try await changes.state().changes.map { "left \($0)" }
    await changes.stop()
    for spring in try await models.models(ModelQuery(Spring.self)).sorted(by: { $0.id < $1.id }) {
      lines.append("spring \(spring.id) \(spring.name) \(spring.likes)")
    }
    await models.close()
    // `print` would be buffered, and mixed with what is written behind it.
    let text = lines.map { "\($0)\n" }.joined()
    FileHandle.standardOutput.write(Data(text.utf8))
  }
}
