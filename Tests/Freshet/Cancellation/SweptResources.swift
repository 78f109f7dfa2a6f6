import Foundation
import FreshetTesting

@testable import Freshet

private let request = SweptWorld.request

extension SweptOperation {
  static let resources: [SweptOperation] = [
    SweptOperation("resource that is new", of: "Client.resource") {
      try await read($0.client.resource(request("/new")))
    },
    SweptOperation("value of a resource", of: "ResourceSequence.value") {
      _ = try await $0.client.resource(request("/new")).value
    },
    SweptOperation("decoded resource", of: "Resource.decode") {
      _ = try await $0.client.resource(request("/list")).value.decode([Int].self)
    },
    SweptOperation("bytes", of: "RemoteBytes.read", "RemoteBytes.length") {
      let bytes = $0.client.bytes(at: request("/large").url)
      _ = try await bytes.length
      _ = try await bytes.read(0..<1_000)
    },
    SweptOperation("chunks of bytes", of: "RemoteBytes.chunks") {
      try await read($0.client.bytes(at: request("/large").url).chunks())
    },
    SweptOperation("resource to a file") {
      try await read($0.client.resource(request("/large")))
    },
    SweptOperation("download to a file", of: "Client.download") {
      try await read($0.client.download(request("/large"), to: $0.folder.file("large")))
    },
    SweptOperation("upload", of: "Client.upload") {
      try await read($0.client.upload(Request(.put, request("/list").url, body: .text("water"))))
    },
    SweptOperation("resource that is verified", of: "AsyncSequence.verify") {
      let digest = Checksum.sha256(SHA256Hasher.digest(of: SweptOrigin.large))
      let policy = ResourcePolicy { $0.expected = digest }
      try await read($0.client.resource(request("/large"), policy: policy))
    },
    SweptOperation("resource that goes on where it broke") {
      try await read($0.client.resource(request("/broken")))
    },
    SweptOperation("resource that is validated") {
      let policy = ResourcePolicy { $0.stale = .withheld }
      try await read($0.client.resource(request("/old"), policy: policy))
    },
    SweptOperation("resource that is validated by its head") {
      let policy = ResourcePolicy { ($0.stale, $0.revalidation) = (.withheld, .head) }
      try await read($0.client.resource(request("/old"), policy: policy))
    },
    SweptOperation("resource that is stale first") {
      try await read($0.client.resource(request("/old-large")))
    },
    SweptOperation("resource that is refreshed behind", of: "Refreshes.idle") {
      let policy = ResourcePolicy { $0.stale = .servedWhileRefreshing }
      try await read($0.client.resource(request("/old"), policy: policy))
      await $0.refreshes.idle()
      try Task.checkCancellation()
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
    SweptOperation(
      "chain by hand",
      of: "Fetch.request",
      "AsyncSequence.lookup",
      "AsyncSequence.checkExpiry",
      "AsyncSequence.announceStale",
      "AsyncSequence.revalidate",
      "AsyncSequence.download",
      "AsyncSequence.settle",
      "AsyncSequence.coalesce"
    ) { world in
      try await read(
        Fetch.request(request("/old"))
          .lookup(in: world.disk)
          .checkExpiry(now: { world.clock.date })
          .announceStale()
          .coalesce(in: world.coalescer)
          .revalidate(.conditional, over: world.wire)
          .download(over: world.wire)
          .verify(nil)
          .persist(in: world.disk)
          .settle()
      )
    },
    SweptOperation("plan of a fetch", of: "Client.chain", "FetchChain.plan", "FetchChain.settle") {
      let chain = $0.client.chain(for: request("/old"))
      _ = try await chain.plan()
      try await read(chain.settle())
    },
    SweptOperation("transfer", of: "Transfer.mapEvents") {
      try await read($0.wire.send(request("/list")).mapEvents { $0 })
    },
    SweptOperation("chunks of a body", of: "ResourceBody.chunks") {
      let policy = ResourcePolicy { $0.network = .forbidden }
      let resource = try await $0.client.resource(request("/old-large"), policy: policy).value
      try await read(resource.body.chunks(ofCount: 100))
    },
  ]

  static let batches: [SweptOperation] = [
    SweptOperation("plan of a batch", of: "Batch.plan") {
      try await read($0.client.batch(["/old", "/new", "/large"].map(request)).plan())
    },
    SweptOperation("batch", of: "Batch.run") {
      try await read($0.client.batch(["/old", "/new", "/large"].map(request)).run())
    },
    SweptOperation("batch that is planned", of: "BatchPlan.run") {
      let plan = try await $0.client.batch(["/old", "/new"].map(request)).plan().value
      try await read(plan.run())
    },
    SweptOperation("batch of a sequence") {
      let requests = SweptRequests(gate: nil, paths: ["/old", "/new"])
      try await read($0.client.batch(requests).run())
    },
    SweptOperation("batch with a journal") {
      let journal = BatchJournal(at: $0.folder.file("journal"))
      try await read($0.client.batch(["/new", "/large"].map(request)).run(journal: journal))
    },
  ]
}

/// Requests that come one after the other, the last of which waits at a gate.
struct SweptRequests: AsyncSequence, Sendable {
  let gate: Gate?
  let paths: [String]

  struct Iterator: AsyncIteratorProtocol {
    let gate: Gate?
    var paths: ArraySlice<String>

    mutating func next() async throws -> Request? {
      if paths.count == 1 { try await gate?.enter() }
      await Task.yield()
      return paths.popFirst().map(SweptWorld.request)
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(gate: gate, paths: paths[...]) }
}
