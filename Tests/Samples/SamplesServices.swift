import Foundation
import Freshet

private struct User: Codable, Sendable {
  var name: String
}

private struct ServiceFault: Decodable, Sendable {
  var message: String
}

private func endpoint(client: Client) async throws {
  struct ShowUser: Endpoint {
    typealias Output = User
    typealias Failure = ServiceFault
    var id: Int
    var path: RequestPath { "users/\(id)" }
  }

  let user = try await client.call(ShowUser(id: 7)).output
  _ = user
}

private struct ShowUser: Endpoint {
  typealias Output = User
  typealias Failure = ServiceFault
  var id: Int
  var path: RequestPath { "users/\(id)" }
}

private func chain(client: Client) async throws {
  let users = try await client.send(.get("users?limit=20"))
    .reject(as: ServiceFault.self)
    .unwrap(at: "data.items")
    .decode([User].self)
    .value
  _ = users
}

private struct Person: Decodable, Sendable {
  var firstName: String
  var picture: URL?
}

private func keys(client: Client) async throws {
  let people = try await client.send(.get("people"))
    .unwrap(at: "results")
    .decode([Person].self, keys: ["firstName": "name.first", "picture": "picture.medium"])
    .value
  _ = people
}

private func options(client: Client) {
  let fresh = client.send(.get("users/7")) { options in
    options.retry = .never
    options.useStores { $0.stale = .beforeValidation }
  }
  _ = fresh
}

private func show(_ data: Data) {}
private func show(_ text: String) {}
private func showPlaceholder() {}

private func errors(client: Client, url: URL) {
  Task {
    do throws(CallError<ServiceFault>) {
      print(try await client.call(ShowUser(id: 7)).output.name)
    } catch {
      switch error {
      case .rejected(let rejection): print(rejection.status, rejection.model?.message ?? "")
      case .failed(let error): print(error)
      }
    }
  }

  Task {
    do throws(FreshetError) {
      show(try await client.resource(at: url).value.data())
    } catch .notStored {
      showPlaceholder()
    } catch {
      show(error.isOffline ? "You are offline." : error.description)
    }
  }
}

private func envelopes(client: Client) async throws {
  struct Page<Item: Decodable & Sendable>: Envelope {
    var data: [Item]
    var next: String?
    var payload: [Item] { data }
  }

  struct ListUsers: Endpoint {
    var path: RequestPath { "users" }
    var decoding: Decoding<[User]> { .unwrapping(Page<User>.self) }
  }

  let page = try await client.call(ListUsers()).value
  print(page.value.count, page.envelope(as: Page<User>.self)?.next ?? "the last")
}

private struct Page<Item: Decodable & Sendable>: Envelope {
  var data: [Item]
  var payload: [Item] { data }
}

private func routes(client: Client) async throws {
  let router = try Router([
    Route("users/#", User.self),
    Route("users", [User].self, as: .unwrapping(Page<User>.self)),
    Route(error: ServiceFault.self),
  ])
  let routed = try await client.send(.get("users/7")).decode(User.self, by: router).value
  _ = routed
}

private struct Tick: Codable, Sendable {
  var price: Double
}

private struct Word: Codable, Sendable {
  var text: String
}

private func streams(client: Client, saved: String, prompt: [Word]) async throws {
  for try await page in client.pages(.get("users"), next: .link).decode([User].self).values {
    print(page.value.count)
  }
  for try await event in client.events(.get("ticker")) { print(event.type, event.data) }
  for try await tick in client.events(.get("ticker")).resuming(after: saved).decode(Tick.self) {
    print(tick.value, tick.id)
  }
  for try await event in client.events(.post("chat", body: try .json(prompt)))
  where event.data != "[DONE]" {
    print(try event.decode(Word.self).text, terminator: "")
  }
  let changes = client.stream(.get("changes"))
    .validate(contentType: "application/x-ndjson")
    .reject(as: ServiceFault.self)
    .ndjson(Change.self)
  for try await change in changes { apply(change) }
}

private struct Change: Codable, Sendable {
  var id: Int
}

private func apply(_ change: Change) {}

private func decorators(recorder: HARRecorder, session: Authenticator) {
  let transport = DefaultTransport()
    .recording(to: recorder)
    .limited(by: RequestScheduler { $0.perHost = 6 })
    .authenticated(by: session)
    .breakingCircuits()
  let client = Client {
    $0.transport = transport
    $0.retry = .standard
  }
  _ = client
}

private func cookies(saved: [Cookie]) {
  let jar = CookieJar(saved)
  let visiting = Client { $0.transport = DefaultTransport().storingCookies(in: jar) }
  _ = visiting
}

private func demo(files: URL) throws {
  let demo = DemoTransport(
    directory: files,
    routes: [try DemoRoute("users", .get, path: "users/#", success: .file("user.json"))]
  )
  let shown = Client { $0.demo = demo }
  _ = shown
}

private func observation() {
  let diagnostics = Diagnostics(sinks: [StandardErrorSink()])
  let observed = Client { $0.diagnostics = diagnostics }
  observed.activity.cancel(tagged: "search")
}

private func contentTypes(client: Client) async throws {
  let user = try await client.send(.get("users/7"))
    .decode(User.self, contentType: .json)
    .value
  let table = try await client.send(.get("report"))
    .validate(contentType: ["text/csv", "text/plain"])
    .value
  _ = (user, table)
}

private func traced() {
  let diagnostics = Diagnostics(
    minimum: .trace,
    bodyLimit: 16 << 10,
    sinks: [StandardErrorSink(minimum: .trace), ClosureSink { print($0) }]
  )
  let traced = Client { $0.diagnostics = diagnostics }
  _ = traced
}

private func timeouts() {
  let patient = Client { $0.timeouts.idle = .seconds(120) }
  let user = patient.send(.get("users/7")) { $0.timeouts.total = .seconds(10) }
  _ = user
}

private func maintained() {
  let careful = Client {
    $0.retry = RetryPolicy {
      $0.decide = { $0.head?.headers["X-Maintenance"] == nil ? $0.decision : .stop }
    }
  }
  _ = careful
}

private func metrics(client: Client, url: URL) async throws {
  if let metrics = try await client.resource(at: url).value.metrics {
    print(metrics.firstByte, metrics.total, metrics.bytesReceived, metrics.reusedConnection)
  }
}
