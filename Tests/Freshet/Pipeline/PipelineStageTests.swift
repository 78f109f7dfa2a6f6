import Foundation
import Freshet
import FreshetTesting
import Testing

/// What `print` shows of pipelines.
@Suite struct PipelineStageTests {
  private let directory: TemporaryDirectory
  private let disk: DiskStore
  private let memory = MemoryStore()
  private let transport = DefaultTransport()
  private let request: Request

  private static let digest = SHA256Checksum(bytes: Data(repeating: 0xAB, count: 32))

  init() throws {
    directory = try TemporaryDirectory()
    disk = DiskStore(directory: directory.url)
    request = try Request("https://a.example/logo.png")
  }

  private var begun: some AsyncSequence<Fetch, FreshetError> & Sendable { Fetch.request(request) }

  // MARK: - A chain

  @Test func `a chain prints as it is written`() throws {
    let digest = try #require(Self.digest)
    let chain = begun.lookup(in: memory)
      .lookup(in: disk)
      .checkExpiry(.http)
      .announceStale()
      .revalidate(.conditional, over: transport)
      .download(over: transport)
      .verify(.sha256(digest))
      .persist(in: disk)
      .persist(in: memory)
      .settle()

    #expect(
      "\(chain)" == """
        GET https://a.example/logo.png
          .lookup(in: memory)
          .lookup(in: disk)
          .checkExpiry(.http)
          .announceStale()
          .revalidate(.conditional, over: network)
          .download(over: network)
          .verify(.sha256(abababababab…))
          .persist(in: disk)
          .persist(in: memory)
          .settle()
        """
    )
  }

  /// The last line of what is printed.
  private func line(_ pipeline: Any) -> String {
    "\(pipeline)".split(separator: "\n").last.map { $0.trimmingPrefix("  ") }.map(String.init) ?? ""
  }

  @Test func `stages of a fetch print their settings`() {
    let limits = StaleLimits(unvalidated: .seconds(30), onError: .seconds(300))
    let lines: [(Any, String)] = [
      (begun, "GET https://a.example/logo.png"),
      (begun.checkExpiry(.after(.seconds(7200))), ".checkExpiry(.after(7200 s))"),
      (begun.checkExpiry(.never), ".checkExpiry(.never)"),
      (begun.checkExpiry(.always), ".checkExpiry(.always)"),
      (
        begun.checkExpiry(limits: limits),
        ".checkExpiry(.http, limits: unvalidated: 30 s, onError: 300 s)"
      ),
      (begun.announceStale(.whenAllowed), ".announceStale(.whenAllowed)"),
      (begun.revalidate(.head, over: transport), ".revalidate(.head, over: network)"),
      (
        begun.download(over: transport, resumptions: 0),
        ".download(over: network, resumptions: 0)"
      ),
      (begun.persist(in: disk, expiry: .never), ".persist(in: disk, expiry: .never)"),
    ]

    for (pipeline, text) in lines { #expect(line(pipeline) == text) }
  }

  @Test func `omits a stage without effect`() {
    #expect("\(begun.announceStale(.withheld).verify(nil))" == "\(begun)")
  }

  @Test func `stages of a call print their settings`() throws {
    let responses = Client { $0.transport = transport }.send(request)
    let router = try Router([])
    let shared = responses.decode(String.self, as: .text).share()
    let lines: [(Any, String)] = [
      (responses, ".send(over: network)"),
      (responses.validate(), ".validate()"),
      (responses.reject(as: Fault.self), ".reject(as: Fault)"),
      (responses.unwrap(at: "data.items"), #".unwrap(at: "data.items")"#),
      (responses.unwrap(as: Page.self), ".unwrap(as: Page)"),
      (responses.decode([Int].self), ".decode(Array<Int>)"),
      (responses.unwrap(at: "data").decode(Int.self), ".decode(Int)"),
      (responses.decode(String.self, by: router), ".decode(String, by: router)"),
      (shared, ".share()"),
      (shared.values, ".values"),
    ]

    for (pipeline, text) in lines { #expect(line(pipeline) == text) }
  }

  @Test func `streams print their request and element`() {
    let client = Client { $0.transport = transport }
    let stream = client.stream(request)

    #expect("\(stream)" == "\(request)\n  .stream()")
    #expect(line(stream.lines()) == ".lines()")
    #expect(line(stream.lines(limit: 80)) == ".lines(limit: 80)")
    #expect(line(stream.ndjson(Int.self)) == ".ndjson(Int)")
    #expect(line(stream.events()) == ".events()")
    #expect("\(client.events(request))" == "\(request)\n  .events(over: network)")
    #expect("\(transport.send(request))" == "\(request)")
  }

  // MARK: - Presets

  @Test func `a preset prints its chain`() throws {
    let client = Client {
      $0.transport = transport
      $0.memory = memory
      $0.disk = disk
      $0.coalescer = nil
    }
    let chain = begun.lookup(in: memory)
      .lookup(in: disk)
      .checkExpiry(.http)
      .announceStale(.whenAllowed)
      .persist(in: memory)
      .revalidate(.conditional, over: transport)
      .download(over: transport)
      .persist(in: disk)
      .persist(in: memory)
      .settle()

    #expect("\(client.resource(request))" == "\(chain)")
  }

  @Test func `stages behind the coalescing stage are printed inside it`() {
    let coalescer = Coalescer()
    let client = Client {
      $0.transport = transport
      $0.memory = memory
      $0.coalescer = coalescer
    }
    let chain = begun.lookup(in: memory)
      .checkExpiry(.http)
      .announceStale(.whenAllowed)
      .persist(in: memory)
      .coalesce(in: coalescer)
      .revalidate(.conditional, over: transport)
      .download(over: transport)
      .persist(in: memory)
      .settle()

    #expect("\(client.resource(request))" == "\(chain)")
    #expect(
      "\(chain)"
        .hasSuffix(
          """
            .coalesce(in: coalescer)
            .revalidate(.conditional, over: network)
            .download(over: network)
            .persist(in: memory)
            .settle()
          """
        )
    )
    #expect(
      line(begun.coalesce(in: coalescer, label: "logo"))
        == #".coalesce(in: coalescer, label: "logo")"#
    )
  }

  @Test func `a policy shows in the preset's chain`() {
    let client = Client {
      $0.transport = transport
      $0.memory = memory
      $0.coalescer = nil
    }
    let offline = client.resource(request, policy: ResourcePolicy { $0.network = .forbidden })
    let anew = client.resource(
      request,
      policy: ResourcePolicy {
        $0.network = .required
        $0.persistence = .nowhere
      }
    )

    #expect(!"\(offline)".contains("network"))
    #expect("\(offline)".contains(".lookup(in: memory)"))
    #expect(!"\(anew)".contains("memory"))
    #expect("\(anew)".contains(".download(over: network)"))
  }

  @Test func `prints the wrappers of a transport`() {
    let client = Client {
      $0.transport = transport.storingCookies(in: CookieJar())
      $0.retry = .standard
      $0.scheduler = RequestScheduler { $0.perHost = 6 }
    }

    #expect(
      line(client.send(request))
        == ".send(over: network.storingCookies().limited(perHost: 6).retrying(.standard))"
    )
    #expect(
      line(begun.download(over: ScriptedTransport(sequence: [.text("hello")])))
        == ".download(over: ScriptedTransport)"
    )
  }

  @Test func `a call prints its request and its decoding`() throws {
    let client = Client {
      $0.transport = transport
      $0.baseURL = URL(string: "https://api.example/v1")
    }

    #expect(
      "\(client.call(ListThings()))" == """
        GET https://api.example/v1/things
          .send(over: network)
          .reject(as: Fault)
          .unwrap(at: "data")
          .decode(Array<Int>)
        """
    )
    #expect(
      "\(client.pages(ListThings(), next: .cursor(at: "meta.next", query: "cursor")))"
        .contains(
          #".pages(next: .cursor(at: "meta.next", query: "cursor"), over: network)"#
        )
    )
    #expect("\(client.pages(request, next: .link))".hasSuffix(".pages(next: .link, over: network)"))
  }

  @Test func `a call through the stores prints its path through them`() {
    let client = Client { $0.transport = transport }
    let call = client.send(request) {
      $0.cache = ResourcePolicy()
      $0.bodyLimit = 1024
    }

    #expect("\(call)".contains(".lookup(in: memory)"))
    #expect(line(call) == ".collect(limit: 1024)")
  }

  @Test func `batches and plans print their counts`() {
    let batch = Client().batch([request])

    #expect("\(batch.plan())" == "batch of 1 request\n  .plan(maxConcurrent: 16, perHost: 6)")
    #expect(
      line(batch.run(maxConcurrent: 2, onFailure: .end))
        == ".run(maxConcurrent: 2, perHost: 6, onFailure: .end)"
    )
  }

  @Test func `other sequences print themselves`() async throws {
    let running = begun.settle().start()
    defer { running.cancel() }

    #expect("\(running.events)" == "running pipeline of Resource\n  .events")
    #expect("\(ResourceBody(Data("four".utf8)).chunks)".hasPrefix("body of 4 bytes"))
    #expect("\(disk.entries)" == "disk\n  .entries")
    #expect("\(Client().activity.changes)" == "broadcast of Change")
  }

  // MARK: - Foreign stages

  @Test func `an operator of the standard library prints its name`() {
    let chain = begun.map(\.self).filter { _ in true }.persist(in: memory)

    #expect(
      "\(chain)" == """
        GET https://a.example/logo.png
          .map(…)
          .filter(…)
          .persist(in: memory)
        """
    )
  }

  @Test func `a custom operator prints its type, or its own description`() {
    let chain = Named(base: Thinned(base: begun, every: 3)).lookup(in: memory)

    #expect(
      "\(chain)" == """
        GET https://a.example/logo.png
          .thinned(every: 3)
          .named(…)
          .lookup(in: memory)
        """
    )
    #expect(line(Thinned(base: begun, every: 3)) == ".thinned(every: 3)")
  }

  @Test func `a pipeline that contains itself ends`() {
    let endless = Endless()
    endless.base = endless
    defer { endless.base = nil }

    #expect("\(endless)".hasPrefix("…\n  .endless()"))
  }

  // MARK: - Secrets

  @Test func `prints no secret`() throws {
    let text = "https://ann:hunter2@a.example/x?token=hunter2#hunter2"
    var request = Request(.get, try #require(URL(string: text)))
    request.headers = [.authorization: "Bearer hunter2"]
    let client = Client {
      $0.headers = [.authorization: "Bearer hunter2"]
      $0.partition = "hunter2"
      $0.memory = memory
    }
    let pipelines: [Any] = [
      client.resource(request), client.send(request), client.pages(request, next: .link),
      client.stream(request), client.events(request), client.batch([request]).run(),
      Fetch.request(request, partition: "hunter2").lookup(in: memory).settle(),
    ]

    for pipeline in pipelines {
      #expect(!"\(pipeline)".contains("hunter2"), "\(pipeline)")
      #expect(!String(reflecting: pipeline).contains("hunter2"))
    }
  }
}

// MARK: - Examples

private struct Fault: Decodable, Sendable {}

private struct Page: Envelope {
  typealias Payload = [Int]
  var items: [Int]
  var payload: [Int] { items }
}

private struct ListThings: Endpoint {
  typealias Output = [Int]
  typealias Failure = Fault
  var path: RequestPath { "things" }
  var payload: PayloadPath { "data" }
}

private struct Thinned<Base: AsyncSequence<Fetch, FreshetError> & Sendable>: AsyncSequence,
  Sendable, PipelineStage
{
  let base: Base
  let every: Int

  var stageDescription: String { ".thinned(every: \(every))" }

  func makeAsyncIterator() -> Base.AsyncIterator { base.makeAsyncIterator() }
}

private struct Named<Base: AsyncSequence<Fetch, FreshetError> & Sendable>: AsyncSequence, Sendable {
  let base: Base

  func makeAsyncIterator() -> Base.AsyncIterator { base.makeAsyncIterator() }
}

private final class Endless: PipelineStage {
  var base: Endless?
}
