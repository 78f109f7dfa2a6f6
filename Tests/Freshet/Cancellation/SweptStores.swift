import Foundation
import FreshetModels
import FreshetTesting

@testable import Freshet

extension SweptOperation {
  private static let short = Manner.finishes("what is stored is stored whole, or not at all")

  static let stores: [SweptOperation] = [
    SweptOperation(
      "keep and find",
      of: "DiskStore.keep",
      "DiskStore.find",
      "DiskStore.refresh",
      "DiskStore.remove",
      manner: short
    ) { world in
      let response = try StoredResponse.sample("http://a.test/kept", body: SweptOrigin.large)
      _ = try await world.disk.keep(response)
      _ = await world.disk.find(response.key, for: [:])
      _ = try await world.disk.refresh(response)
      try await world.disk.remove(response)
      try await world.disk.remove(response.key)
    },
    SweptOperation(
      "invalidate",
      of: "DiskStore.invalidate",
      "DiskStore.invalidationTime",
      manner: short
    ) { world in
      let key = try CacheKey.sample("http://a.test/old")
      await world.disk.invalidate(key, at: world.clock.date)
      _ = await world.disk.invalidationTime(of: key)
    },
    SweptOperation(
      "location of a body",
      of: "DiskStore.location",
      "Client.location",
      manner: short
    ) { world in
      _ = try await world.client.location(for: SweptWorld.request("/old"))
      _ = try await world.disk.location(for: SweptWorld.request("/old-large"))
    },
    SweptOperation("entries", of: "DiskStore.entries") { try await read($0.disk.entries) },
    SweptOperation("response for an entry", of: "DiskStore.response", manner: short) { world in
      var entries = world.disk.entries.makeAsyncIterator()
      guard let entry = try await entries.next() else {
        if Task.isCancelled { return }
        throw SweptFault(description: "there is no entry")
      }
      _ = await world.disk.response(for: entry)
    },
    SweptOperation("statistics", of: "DiskStore.statistics", manner: short) {
      _ = try await $0.disk.statistics()
    },
    SweptOperation("entries of parts", of: "DiskStore.partEntries", manner: short) {
      _ = try await $0.disk.partEntries()
    },
    SweptOperation("verify", of: "DiskStore.verify", manner: short) {
      _ = try await $0.disk.verify()
    },
    SweptOperation("remove all", of: "DiskStore.removeAll", "DiskStore.purge", manner: short) {
      try await $0.disk.removeAll(tag: "x")
      try await $0.disk.removeAll(prefix: "http://a.test/n")
      _ = try await $0.disk.purge(olderThan: .zero)
      try await $0.disk.removeAll()
    },
    SweptOperation("copy of seeds", of: "SeedStore.copy", manner: short) { world in
      var builder = try SeedBuilder(directory: world.folder.file("seeds"))
      try builder.add(try .sample("http://a.test/seed"))
      try builder.write()
      _ = try await SeedStore(directory: world.folder.file("seeds")).copy(into: world.disk)
    },
    SweptOperation("shutdown of a client", of: "Client.shutdown", manner: short) { world in
      let other = Client { $0.transport = world.wire }
      _ = try await other.send(Request(to: "http://a.test/x")).value
      await other.shutdown()
    },
    SweptOperation("close of a store", of: "DiskStore.close", manner: short) { world in
      let other = DiskStore(directory: world.folder.file("other"))
      _ = try await other.keep(try .sample())
      await other.close()
    },
  ]

  static let models: [SweptOperation] = [
    SweptOperation("save", of: "ModelStore.save", manner: short) {
      _ = try await $0.models.save((2..<40).map { Person.sample($0) })
    },
    SweptOperation(
      "read models",
      of: "ModelStore.model",
      "ModelStore.models",
      "ModelStore.count",
      manner: short
    ) {
      _ = try await $0.models.model(Person.self, id: 1)
      _ = try await $0.models.models(ModelQuery(Person.self))
      _ = try await $0.models.count(ModelQuery(Person.self))
    },
    SweptOperation("scan", of: "ModelStore.scan") {
      _ = try await $0.models.save((2..<40).map { Person.sample($0) })
      try await read($0.models.scan(ModelQuery(Person.self)))
    },
    SweptOperation("transaction", of: "ModelStore.transaction", manner: short) {
      _ = try await $0.models.transaction { transaction throws(FreshetError) in
        _ = try transaction.save([Person.sample(3)])
      }
    },
    SweptOperation("replace", of: "ModelStore.replace", manner: short) {
      _ = try await $0.models.replace(ModelQuery(Person.self), with: [Person.sample(3)])
    },
    SweptOperation("delete", of: "ModelStore.delete", "ModelStore.removeAll", manner: short) {
      try await $0.models.delete(Person.self, id: 2)
      try await $0.models.delete(ModelQuery(Person.self))
      try await $0.models.removeAll()
    },
    SweptOperation("observation of a query, and a change", of: "ModelStore.observe") { world in
      var people = world.models.observe(ModelQuery(Person.self)).makeAsyncIterator()
      _ = try await people.next()
      _ = try await world.models.save(Person.sample(3))
      _ = try await people.next()
    },
    SweptOperation("observation of a model, and a change") { world in
      var person = world.models.observe(Person.self, id: 1).makeAsyncIterator()
      _ = try await person.next()
      _ = try await world.models.save(Person.sample(1, name: "another"))
      _ = try await person.next()
    },
    SweptOperation("close of models", of: "ModelStore.close", manner: short) { world in
      let other = ModelStore(directory: world.folder.file("others"))
      _ = try await other.save(Person.sample(1))
      await other.close()
    },
  ]
}
