import Foundation
import FreshetModels
import FreshetTesting

@testable import Freshet

private let request = SweptWorld.request

private struct ListPeople: Endpoint {
  typealias Output = [Person]
  typealias Failure = APIError
  var path: RequestPath { "people" }
}

private struct Wrapped: Envelope {
  var payload: [Int]
}

extension SweptOperation {
  static let calls: [SweptOperation] = [
    SweptOperation("send", of: "Client.send") { try await read($0.client.send(request("/list"))) },
    SweptOperation("value of a response", of: "ResponseSequence.value") {
      _ = try await $0.client.send(request("/list")).value
    },
    SweptOperation("value", of: "AsyncSequence.value") {
      _ = try await $0.client.send(request("/list")).decode([Int].self).value
    },
    SweptOperation("first", of: "AsyncSequence.first") {
      _ = try await $0.client.send(request("/list")).first
    },
    SweptOperation("send and decode", of: "AsyncSequence.decode") {
      try await read($0.client.send(request("/list")).decode([Int].self))
    },
    SweptOperation("send through a redirect") {
      try await read($0.client.send(request("/moved")))
    },
    SweptOperation("send through a refresh") {
      try await read($0.client.send(request("/closed")))
    },
    SweptOperation("send through a pause and a second attempt") {
      try await read($0.client.send(request("/flaky")))
    },
    SweptOperation("send through the stores") {
      try await read($0.client.send(request("/old")) { $0.cache = ResourcePolicy() })
    },
    SweptOperation("send to a demo") {
      var route = DemoRoute("slow", success: .bytes(Data("[1]".utf8)))
      (route.latency, route.chunkPause) = (.seconds(1) ... .seconds(1), .seconds(1))
      let slow = route
      try await read($0.client.send(request("/list")) { $0.demo = slow })
    },
    SweptOperation("send what was recorded", of: "DemoTransport.send", "ReplayTransport.send") {
      let recorder = HARRecorder()
      try await read($0.wire.recording(to: recorder).send(request("/list")))
      try await read(try ReplayTransport(recorder.data()).send(request("/list")))
    },
    SweptOperation("send while another has the turn") { world in
      let client = world.narrow
      async let first = client.send(request("/list")).value
      async let second = client.send(request("/new")).value
      _ = try await [first, second]
    },
    SweptOperation("send and start", of: "Running.value") {
      let running = $0.client.send(request("/list")).start()
      defer { running.cancel() }
      _ = try await running.value
    },
    SweptOperation("output of what was started", of: "Running.output") {
      let running = $0.client.send(request("/list")).start()
      defer { running.cancel() }
      _ = try await running.output
    },
    SweptOperation("output of a pipeline", of: "AsyncSequence.output") {
      _ = try await $0.client.send(request("/list")).decode([Int].self).output
    },
    SweptOperation("send, start and read", of: "Running.events") {
      let running = $0.client.send(request("/list")).start()
      defer { running.cancel() }
      try await read(running.events)
    },
    SweptOperation("send and share", of: "AsyncSequence.share") {
      let shared = $0.client.send(request("/list")).share()
      async let first: Void = read(shared)
      async let second: Void = read(shared)
      _ = try await [first, second]
    },
    SweptOperation("reject", of: "AsyncSequence.reject") {
      try await read($0.client.send(request("/list")).reject(as: APIError.self))
    },
    SweptOperation("validate", of: "AsyncSequence.validate") {
      try await read($0.client.send(request("/list")).validate())
    },
    SweptOperation("unwrap", of: "AsyncSequence.unwrap", "UnwrapSequence.decode") {
      try await read($0.client.send(request("/envelope")).unwrap(at: "data"))
      try await read($0.client.send(request("/envelope")).unwrap(at: "data").decode([Int].self))
    },
    SweptOperation("unwrap an envelope") {
      try await read($0.client.send(request("/envelope")).unwrap(as: Wrapped.self))
    },
    SweptOperation("route") {
      let router = try Router([Route("*", [Int].self)])
      try await read($0.client.send(request("/list")).decode([Int].self, by: router))
    },
    SweptOperation("call", of: "Client.call") { try await read($0.client.call(ListPeople())) },
    SweptOperation("value of a call", of: "CallSequence.value") {
      _ = try await $0.client.call(ListPeople()).value
    },
    SweptOperation("output of a call", of: "CallSequence.output") {
      _ = try await $0.client.call(ListPeople()).output
    },
    SweptOperation("pages", of: "Client.pages", "AsyncSequence.values") {
      try await read($0.client.pages(request("/page"), next: .link).values)
    },
    SweptOperation("pages of an endpoint") {
      try await read($0.client.pages(ListPeople(), next: .link))
    },
    SweptOperation("send and persist models", of: "AsyncSequence.persist") { world in
      let people = world.client.send(request("/people")).decode([Person].self)
      try await read(people.persist(in: world.models))
    },
    SweptOperation("send and replace models") { world in
      let people = world.client.send(request("/people")).decode([Person].self)
      try await read(people.persist(in: world.models, replacing: ModelQuery(Person.self)))
    },
    SweptOperation("refresh of a live query", of: "LiveSequence.refresh") { world in
      let call = world.client.call(ListPeople())
      let people = ModelQuery(Person.self)
      let live = world.models.live(people, refresh: .never, saving: .replacing, by: call)
      if case .failed(let failure) = await live.refresh() { throw failure }
    },
    SweptOperation("live call", of: "Client.live") { world in
      let query = ModelQuery(Person.self)
      try await read(world.client.live(ListPeople(), query, in: world.models), atMost: 2)
    },
    SweptOperation("live query and live model", of: "ModelStore.live") { world in
      let call = world.client.call(ListPeople())
      try await read(world.models.live(ModelQuery(Person.self), by: call), atMost: 2)
      try await read(world.models.live(Person.self, id: 7, by: call), atMost: 2)
    },
  ]

  static let streams: [SweptOperation] = [
    SweptOperation("stream", of: "Client.stream") {
      try await read($0.client.stream(request("/large")))
    },
    SweptOperation("stream of a media type", of: "BodyStream.validate") {
      try await read($0.client.stream(request("/large")).validate(contentType: .any))
    },
    SweptOperation("reject of a stream", of: "BodyStream.reject") {
      try await read($0.client.stream(request("/large")).reject(as: APIError.self))
    },
    SweptOperation("head of a stream", of: "BodyStream.head") {
      var iterator = $0.client.stream(request("/large")).makeAsyncIterator()
      _ = try await iterator.head()
      _ = try await iterator.next()
    },
    SweptOperation("duplex", of: "DuplexStream.send", "DuplexStream.head") {
      var post = request("/list")
      post.method = .post
      let stream = $0.client.duplex(post)
      // The origin may have answered before it gets the message.
      do { try await stream.send("hello") } catch FreshetError.connection {}
      stream.finish()
      _ = try await stream.head
      try await read(stream)
    },
    SweptOperation("lines", of: "AsyncSequence.lines") {
      try await read($0.client.stream(request("/list")).lines())
    },
    SweptOperation("ndjson", of: "AsyncSequence.ndjson") {
      try await read($0.client.stream(request("/list")).ndjson([Int].self))
    },
    SweptOperation("events of a body", of: "AsyncSequence.events") {
      try await read($0.client.stream(request("/events")).events())
    },
    SweptOperation("events, connected again", of: "Client.events") {
      try await read($0.client.events(request("/events")), atMost: 2)
    },
    SweptOperation("updates of events", of: "EventStream.updates", "EventStream.resuming") {
      try await read($0.client.events(request("/events")).resuming(after: "1").updates, atMost: 4)
    },
    SweptOperation("reject of events", of: "EventStream.reject") {
      try await read($0.client.events(request("/events")).reject(as: APIError.self), atMost: 2)
    },
    SweptOperation("reject of updates") {
      let updates = $0.client.events(request("/events")).updates
      try await read(updates.reject(as: APIError.self), atMost: 4)
    },
    SweptOperation("decode events") {
      try await read($0.client.events(request("/events")).decode(String.self, as: .text), atMost: 2)
    },
    SweptOperation(
      "upload of bytes and a file",
      of: "RequestBody.chunks",
      manner: .finishes("who sends them ends it")
    ) {
      let file = $0.folder.file("upload")
      try SweptOrigin.large.write(to: file)
      try await read(RequestBody.bytes(SweptOrigin.large).chunks)
      try await read(RequestBody.file(file).chunks)
    },
    SweptOperation("upload of a stream, compressed") { world in
      let stream = RequestBody.stream { SweptUpload(gate: nil) }
      try await read(stream.gzipped().chunks)
    },
    SweptOperation("upload of a form") { world in
      let file = world.folder.file("upload")
      try SweptOrigin.large.write(to: file)
      let parts: [MultipartBody.Part] = [
        .text("a", "b"), .file("c", file), .stream("d") { SweptUpload(gate: nil) },
      ]
      try await read(try RequestBody.multipart(MultipartBody(parts)).chunks)
    },
  ]
}

/// Chunks of an upload, of which the second waits at a gate.
struct SweptUpload: AsyncSequence, Sendable {
  let gate: Gate?

  struct Iterator: AsyncIteratorProtocol {
    let gate: Gate?
    var left = 2

    mutating func next() async throws -> Data? {
      guard left >= 0 else { return nil }
      do {
        if left < 2 { try await gate?.enter() }
        try Task.checkCancellation()
      } catch {
        left = -1
        throw error
      }
      await Task.yield()
      left -= 1
      return left < 0 ? nil : Data("chunk".utf8)
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(gate: gate) }
}
