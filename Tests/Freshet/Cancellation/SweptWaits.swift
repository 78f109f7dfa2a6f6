import Foundation
import FreshetModels
import FreshetTesting

@testable import Freshet

private let request = SweptWorld.request

extension SweptOperation {
  /// Each waits for something else than the origin, which does not come.
  static let waits: [SweptOperation] = [
    SweptOperation("pause before a second attempt") {
      try await read($0.client.send(request("/flaky")))
    },
    SweptOperation("pause before a new connection") {
      try await read($0.client.events(request("/events")))
    },
    SweptOperation("latency of a demo") {
      var route = DemoRoute("slow", success: .bytes(Data("[1]".utf8)))
      route.latency = .seconds(1) ... .seconds(1)
      let slow = route
      try await read($0.client.send(request("/list")) { $0.demo = slow })
    },
    SweptOperation("pause between the chunks of a demo") {
      var route = DemoRoute("slow", success: .bytes(Data("[1]".utf8)))
      route.chunkPause = .seconds(1)
      let slow = route
      try await read($0.client.send(request("/list")) { $0.demo = slow })
    },
    SweptOperation("turn that another has") { world in
      let client = world.narrow
      world.origin.hold(from: 0)
      let first = client.send(request("/list")).start()
      defer { first.cancel() }
      await world.origin.gate.waiting()
      try await read(client.send(request("/new")))
    },
    SweptOperation("flight of another") { world in
      world.origin.hold(from: 0)
      let first = world.client.resource(request("/large")).start()
      defer { first.cancel() }
      await world.origin.gate.waiting()
      try await read(world.client.resource(request("/large")))
    },
    SweptOperation("value of a run") { world in
      world.origin.hold(from: 0)
      let running = world.client.resource(request("/large")).start()
      defer { running.cancel() }
      _ = try await running.value
    },
    SweptOperation("events of a run") { world in
      world.origin.hold(from: 0)
      let running = world.client.resource(request("/large")).start()
      defer { running.cancel() }
      try await read(running.events)
    },
    SweptOperation("refresh of credentials") { world in
      let gate = Gate()
      let session = Authenticator(.bearer("old"), for: [SweptWorld.url("/")]) { _, _ in
        try await gate.enter()
        return .bearer("new")
      }
      defer { gate.open() }
      try await read(world.wire.authenticated(by: session).send(request("/closed")))
    },
    SweptOperation("batch that is paused") {
      let control = BatchControl()
      control.pause()
      try await read($0.client.batch(["/new", "/large"].map(request)).run(control: control))
    },
    SweptOperation("batch whose requests do not come") {
      let requests = SweptRequests(gate: Gate(), paths: ["/old", "/new"])
      try await read($0.client.batch(requests).run())
    },
    SweptOperation("plan whose requests do not come") {
      let requests = SweptRequests(gate: Gate(), paths: ["/old", "/new"])
      try await read($0.client.batch(requests).plan())
    },
    SweptOperation("upload whose chunks do not come") { _ in
      let gate = Gate()
      try await read(RequestBody.stream { SweptUpload(gate: gate) }.chunks)
    },
    SweptOperation("upload whose chunks do not come, compressed") { _ in
      let gate = Gate()
      try await read(RequestBody.stream { SweptUpload(gate: gate) }.gzipped().chunks)
    },
    SweptOperation("part of a form that does not come") { _ in
      let gate = Gate()
      let part = MultipartBody.Part.stream("d") { SweptUpload(gate: gate) }
      try await read(try RequestBody.multipart(MultipartBody([part])).chunks)
    },
    SweptOperation("observation without a change") {
      try await read($0.models.observe(ModelQuery(Person.self)))
    },
    SweptOperation("observation of a model without a change") {
      try await read($0.models.observe(Person.self, id: 1))
    },
    SweptOperation("live query without a change") { world in
      let call = world.client.send(request("/people")).decode([Person].self)
      try await read(world.models.live(ModelQuery(Person.self), by: call))
    },
    SweptOperation("live model without a change") { world in
      let call = world.client.send(request("/people")).decode([Person].self)
      try await read(world.models.live(Person.self, id: 7, by: call))
    },
    SweptOperation("activity without a call", of: "ClientActivity.changes") {
      try await read($0.activity.changes)
    },
    SweptOperation("diagnostics without a call", of: "Diagnostics.events") {
      try await read($0.diagnostics.events)
    },
    SweptOperation("refreshes that go on") { world in
      world.origin.hold(from: 0)
      let policy = ResourcePolicy { $0.stale = .servedWhileRefreshing }
      _ = try await world.client.resource(request("/old"), policy: policy).value
      await world.refreshes.idle()
      try Task.checkCancellation()
    },
  ]
}
