import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Synchronization

struct Spring: PersistableModel, Hashable {
  static let modelName = "Spring"
  static let indexes = [ModelIndex(\Spring.name, "name")]
  let id: Int
  var name: String
  var likes = 0
  var note: String?
}

/// A model that names a spring in two ways: by its identity, and as a model inside.
struct Visit: PersistableModel, Hashable {
  static let modelName = "Visit"
  let id: UUID
  var springID: Int
  var spring: Spring?
}

struct SpringError: Decodable, Sendable, Hashable {
  var message: String
}

struct Rename: ModelChange, Hashable {
  static let changeName = "Rename"
  typealias Subject = Spring
  typealias Output = Spring
  typealias Failure = SpringError
  var subjectID: Int
  var name: String
  var method: HTTPMethod { .patch }
  var path: RequestPath { "springs/\(subjectID)" }
  var query: ParameterList { ["name": name] }
  var options: CallOptions { CallOptions { $0.tags = ["springs"] } }

  func apply(to models: ModelTransaction) throws(FreshetError) {
    guard var spring = try models.model(Spring.self, id: subjectID) else { return }
    spring.name = name
    try models.save(spring)
  }
}

/// A change that is not the same when it is made twice, and whose answer has no model.
struct Like: ModelChange {
  static let changeName = "Like"
  typealias Subject = Spring
  typealias Output = EmptyResponse
  var subjectID: Int
  var count = 1
  var method: HTTPMethod { .post }
  var path: RequestPath { "springs/\(subjectID)/likes" }
  var query: ParameterList { ["count": count] }

  func apply(to models: ModelTransaction) throws(FreshetError) {
    guard var spring = try models.model(Spring.self, id: subjectID) else {
      throw .store("there is no spring")
    }
    spring.likes += count
    try models.save(spring)
  }
}

struct AddSpring: ModelChange {
  static let changeName = "AddSpring"
  static let createsSubject = true
  typealias Subject = Spring
  typealias Output = Spring
  var subjectID: Int
  var name: String
  var method: HTTPMethod { .post }
  var path: RequestPath { "springs" }
  var query: ParameterList { ["name": name] }

  func apply(to models: ModelTransaction) throws(FreshetError) {
    try models.save(Spring(id: subjectID, name: name))
  }
}

struct AddVisit: ModelChange {
  static let changeName = "AddVisit"
  typealias Subject = Visit
  typealias Output = EmptyResponse
  var subjectID: UUID
  var springID: Int
  var method: HTTPMethod { .post }
  var path: RequestPath { "springs/\(springID)/visits" }

  func apply(to models: ModelTransaction) throws(FreshetError) {
    let spring = try models.model(Spring.self, id: springID)
    try models.save(Visit(id: subjectID, springID: springID, spring: spring))
  }
}

struct DeleteSpring: ModelChange {
  static let changeName = "DeleteSpring"
  typealias Subject = Spring
  typealias Output = EmptyResponse
  var subjectID: Int
  var method: HTTPMethod { .delete }
  var path: RequestPath { "springs/\(subjectID)" }

  func apply(to models: ModelTransaction) throws(FreshetError) {
    try models.delete(Spring.self, id: subjectID)
  }
}

/// A service that carries each idempotency key out once, and remembers its answer.
final class SpringService: Sendable {
  struct Call: Hashable, Sendable {
    var key: String
    var text: String
  }

  struct State {
    var springs: [Int: Spring] = [:]
    var answers: [String: (HTTPStatus, Data)] = [:]
    var calls: [Call] = []
    /// The calls that were carried out.
    var done: [String] = []
    var nextID = 100
  }

  /// The handling of a call, in their order from 1.
  enum Fault: Sendable {
    case none
    /// It does not reach the service.
    case unsent
    /// It is carried out, and the answer is lost.
    case lost
    /// It is refused.
    case status(HTTPStatus, String, HTTPHeaders = [:])
  }

  let state: Mutex<State>
  let gate: Gate?
  private let fault: @Sendable (Int, Request) -> Fault

  init(
    _ springs: [Spring] = [],
    gate: Gate? = nil,
    fault: @escaping @Sendable (Int, Request) -> Fault = { _, _ in .none }
  ) {
    state = Mutex(
      State(springs: Dictionary(uniqueKeysWithValues: springs.map { ($0.id, $0) }))
    )
    self.gate = gate
    self.fault = fault
  }

  var calls: [Call] { state.withLock { $0.calls } }
  var texts: [String] { calls.map(\.text) }
  var done: [String] { state.withLock { $0.done } }
  var springs: [Spring] { state.withLock { $0.springs.values.sorted { $0.id < $1.id } } }

  func client(_ clock: VirtualClock, seed: UInt64 = 7) -> Client {
    Client {
      $0.transport = ScriptedTransport { [self] in answer($0) }
      $0.baseURL = URL(string: "http://a.example/")
      $0.clock = clock
      $0.now = { clock.date }
      $0.generator = SeededGenerator(seed: seed)
    }
  }

  private func answer(_ request: Request) -> ScriptedResponse {
    let text = "\(request.method.rawValue) \(request.url.path)"
    let key = request.headers[.idempotencyKey] ?? ""
    let number = state.withLock { state in
      state.calls.append(Call(key: key, text: text))
      return state.calls.count
    }
    let response: ScriptedResponse
    switch fault(number, request) {
    case .none: response = carryOut(request, key)
    case .unsent: response = .failure(.connection(.refused, url: ""))
    case .lost:
      _ = carryOut(request, key)
      response = .failure(.connection(.lost, url: ""))
    case .status(let status, let body, let headers):
      var headers = headers
      headers[.contentType] = "application/json"
      response = ScriptedResponse(status, headers: headers, body: Data(body.utf8))
    }
    return gate.map { response.waiting(for: $0) } ?? response
  }

  private func carryOut(_ request: Request, _ key: String) -> ScriptedResponse {
    let (status, body) = state.withLock { state in
      if let known = state.answers[key] { return known }
      state.done.append("\(request.method.rawValue) \(request.url.path)")
      let answer = Self.carryOut(request, &state)
      state.answers[key] = answer
      return answer
    }
    return ScriptedResponse(status, headers: [.contentType: "application/json"], body: body)
  }

  private static func carryOut(_ request: Request, _ state: inout State) -> (HTTPStatus, Data) {
    let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
    let query = Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    let parts = request.url.path.split(separator: "/").map(String.init)
    let id = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    switch (request.method, parts.count) {
    case (.post, 1):
      state.nextID += 1
      state.springs[state.nextID] = Spring(id: state.nextID, name: query["name"] ?? "")
      return (201, json(state.springs[state.nextID]))
    case (_, _) where state.springs[id] == nil:
      return (404, Data(#"{"message": "no spring"}"#.utf8))
    case (.patch, _):
      state.springs[id]?.name = query["name"] ?? ""
      return (.ok, json(state.springs[id]))
    case (.delete, _):
      state.springs[id] = nil
      return (.noContent, Data())
    default:
      if parts.last == "likes" { state.springs[id]?.likes += Int(query["count"] ?? "") ?? 0 }
      return (.noContent, Data())
    }
  }

  private static func json(_ spring: Spring?) -> Data {
    (try? JSONEncoder().encode(spring)) ?? Data()
  }
}

/// A store, a service and their clock.
struct ChangeWorld: Sendable {
  let models: ModelStore
  let service: SpringService
  let clock = VirtualClock()

  init(_ models: ModelStore = .temporary(), _ service: SpringService = SpringService()) {
    self.models = models
    self.service = service
  }

  func queue(
    seed: UInt64 = 7,
    _ configure: (inout ChangeQueue.Configuration) -> Void = { _ in }
  ) -> ChangeQueue {
    ChangeQueue(models, sending: service.client(clock, seed: seed)) {
      $0.retry.jitter = .none
      $0.register(Rename.self)
      $0.register(Like.self)
      $0.register(AddSpring.self)
      $0.register(AddVisit.self)
      $0.register(DeleteSpring.self)
      configure(&$0)
    }
  }

  func spring(_ id: Int) async throws -> Spring? {
    try await models.model(Spring.self, id: id)
  }
}

extension ChangeQueue {
  /// Waits for a state of the queue.
  func reached(_ condition: (ChangeQueueState) -> Bool) async throws {
    for try await state in states where condition(state) { return }
    throw FreshetError.noValue
  }

  /// Waits until a change waits for a time.
  func isRetrying() async throws {
    try await reached { state in
      state.changes.contains { if case .retrying = $0.state { true } else { false } }
    }
  }
}

extension AsyncIteratorProtocol {
  /// Reads on to an expected element, without which it may not end.
  mutating func reach(
    isolation actor: isolated (any Actor)? = #isolation,
    _ isExpected: (Element) -> Bool
  ) async throws {
    while let element = try await next(isolation: actor) {
      if isExpected(element) { return }
    }
    throw FreshetError.noValue
  }
}

extension ModelStore {
  /// Waits until an observation shows a spring as it is expected.
  func shows(_ expected: Spring) async throws {
    let springs = observe(Spring.self, id: expected.id)
    for try await spring in springs where spring == expected { return }
    throw FreshetError.noValue
  }
}
