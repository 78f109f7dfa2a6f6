import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// One operation of the public interface, done once.
struct SweptOperation: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let body: @Sendable (SweptWorld) async throws -> Void

  init(_ name: String, _ body: @escaping @Sendable (SweptWorld) async throws -> Void) {
    testDescription = name
    self.body = body
  }

  static let all = calls + resources + bodies + batches + stores + models

  private static func request(_ path: String) -> Request { Request(.get, SweptWorld.url(path)) }

  private static let calls: [SweptOperation] = [
    SweptOperation("send") { _ = try await $0.client.send(request("/list")).value },
    SweptOperation("send and decode") {
      _ = try await $0.client.send(request("/list")).decode([Int].self).value
    },
    SweptOperation("send through a redirect") {
      _ = try await $0.client.send(request("/moved")).value
    },
    SweptOperation("send through a refresh") {
      _ = try await $0.client.send(request("/closed")).value
    },
    SweptOperation("send through the stores") {
      _ = try await $0.client.send(request("/old")) { $0.cache = ResourcePolicy() }.value
    },
    SweptOperation("send and start") {
      let running = $0.client.send(request("/list")).start()
      defer { running.cancel() }
      _ = try await running.value
    },
    SweptOperation("pages") {
      for try await _ in $0.client.pages(request("/page"), next: .link) {}
    },
    SweptOperation("lines") {
      for try await _ in $0.client.stream(request("/list")).lines() {}
    },
    SweptOperation("send and persist models") { world in
      _ = try await world.client.send(request("/person")).decode(Person.self)
        .persist(in: world.models).value
    },
  ]

  private static let resources: [SweptOperation] = [
    SweptOperation("resource that is new") {
      _ = try await $0.client.resource(request("/new")).value
    },
    SweptOperation("resource to a file") {
      let resource = try await $0.client.resource(request("/large")).value
      _ = try resource.data()
    },
    SweptOperation("resource that is validated") {
      _ = try await $0.client
        .resource(request("/old"), policy: ResourcePolicy { $0.stale = .withheld })
        .value
    },
    SweptOperation("resource that is stale first") {
      for try await _ in $0.client.resource(request("/old-large")) {}
    },
    SweptOperation("resource that is refreshed behind") {
      let policy = ResourcePolicy { $0.stale = .servedWhileRefreshing }
      _ = try await $0.client.resource(request("/old"), policy: policy).value
    },
    SweptOperation("resource, the first") {
      _ = try await $0.client.resource(request("/old")).first
    },
    SweptOperation("resource, started") {
      let running = $0.client.resource(request("/large")).start()
      defer { running.cancel() }
      _ = try await running.value
    },
    SweptOperation("resource, twice at once") { world in
      async let first = world.client.resource(request("/large")).value
      async let second = world.client.resource(request("/large")).value
      _ = try await [first, second]
    },
  ]

  private static let bodies: [SweptOperation] = [
    SweptOperation("chunks of a body") {
      let policy = ResourcePolicy { $0.network = .forbidden }
      let resource = try await $0.client.resource(request("/old-large"), policy: policy).value
      for try await _ in resource.body.chunks(ofCount: 100) {}
    }
  ]

  private static let batches: [SweptOperation] = [
    SweptOperation("plan of a batch") {
      _ = try await $0.client.batch(["/old", "/new", "/large"].map(request)).plan().value
    },
    SweptOperation("batch") {
      _ = try await $0.client.batch(["/old", "/new", "/large"].map(request)).run().value
    },
    SweptOperation("batch with a journal") {
      let journal = BatchJournal(at: $0.folder.file("journal"))
      _ = try await $0.client.batch(["/new", "/large"].map(request)).run(journal: journal).value
    },
  ]

  private static let stores: [SweptOperation] = [
    SweptOperation("keep and find") { world in
      let response = try StoredResponse.sample("http://a.test/kept", body: SweptWorld.large)
      _ = try await world.disk.keep(response)
      _ = await world.disk.find(response.key, for: [:])
      _ = try await world.disk.refresh(response)
      try await world.disk.remove(response.key)
    },
    SweptOperation("entries") { for try await _ in $0.disk.entries {} },
    SweptOperation("statistics and verify") {
      _ = try await $0.disk.statistics()
      _ = try await $0.disk.verify()
    },
    SweptOperation("remove all") {
      try await $0.disk.removeAll(tag: "x")
      try await $0.disk.purge(olderThan: .zero)
      try await $0.disk.removeAll()
    },
  ]

  private static let models: [SweptOperation] = [
    SweptOperation("models") { world in
      _ = try await world.models.save(Person.sample(2))
      _ = try await world.models.model(Person.self, id: 2)
      _ = try await world.models.models(ModelQuery(Person.self))
      _ = try await world.models.count(ModelQuery(Person.self))
      for try await _ in world.models.scan(ModelQuery(Person.self)) {}
      try await world.models.delete(Person.self, id: 2)
      try await world.models.removeAll()
    },
    SweptOperation("observation, its first") { world in
      for try await _ in world.models.observe(ModelQuery(Person.self)) { break }
    },
  ]
}
