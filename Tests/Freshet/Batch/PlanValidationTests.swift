import Foundation
import Freshet
import FreshetTesting
import Testing

/// What a plan says of copies that have expired, and what a run then does.
@Suite(.timeLimit(.minutes(5))) struct PlanValidationTests {
  let world = ClientWorld()

  private static let body = Data(repeating: 0x61, count: 100)
  private static let changed = Data(repeating: 0x62, count: 200)

  /// An origin whose coded representation has a tag of its own, as servers that compress have.
  ///
  /// `version` says what it has: `/same` stays at the first version.
  private func origin(
    _ version: Guarded<Int>,
    refusesHead: Bool = false,
    conditions: Bool = true,
    varies: Bool = true
  ) -> ScriptedTransport {
    ScriptedTransport { request in
      if refusesHead, request.method == .head { return ScriptedResponse(405) }
      let isSecond = version.value == 2 && request.url.lastPathComponent != "same"
      let body = isSecond ? Self.changed : Self.body
      let isCoded =
        request.headers[.acceptEncoding] != "identity" && !request.headers.contains(.range)
      let tag = "\"v\(isSecond ? 2 : 1)\(isCoded ? "-gzip" : "")\""
      var common: HTTPHeaders = [.eTag: tag, .cacheControl: "max-age=60"]
      if varies { common[.vary] = "Accept-Encoding" }
      if conditions, request.headers[.ifNoneMatch] == tag {
        return ScriptedResponse(304, headers: common)
      }
      if request.headers.contains(.range) {
        let own: HTTPHeaders = [.contentRange: "bytes 0-0/\(body.count)", .contentLength: "1"]
        return ScriptedResponse(206, headers: common.merging(own), body: body.prefix(1))
      }
      let own: HTTPHeaders =
        isCoded
        ? [.contentEncoding: "gzip", .contentLength: "17"] : [.contentLength: "\(body.count)"]
      return ScriptedResponse(
        headers: common.merging(own),
        body: request.method == .head ? Data() : body
      )
    }
  }

  private var urls: [URL] { ["same", "changed"].map(BatchWorld.url) }

  @Test(arguments: [false, true], [Revalidation.conditional, .head])
  func `validates an expired encoded copy as a fetch would, and the run follows the plan`(
    refusesHead: Bool,
    revalidation: Revalidation
  ) async throws {
    let version = Guarded(1)
    let transport = origin(version, refusesHead: refusesHead)
    let client = world.client(transport) {
      $0.policy.revalidation = revalidation
    }
    _ = try await client.batch(urls).run().value
    world.clock.advance(by: .seconds(61))
    version.value = 2
    let before = transport.requests.count

    let plan = try await client.batch(urls).plan().value

    // Where HEAD is refused, the check by HEAD is none.
    let isBlind = refusesHead && revalidation == .head
    #expect(plan.items.map(\.need) == [isBlind ? .body(100) : .validation, .body(200)])
    #expect(transport.requests[before...].allSatisfy { !$0.headers.contains("If-Range") })
    if !refusesHead {
      // One question for what is right, and one more for the size of what is coded.
      #expect(transport.requests.count == before + 3)
    }
    let result = try await plan.run().value
    #expect(result.failures.isEmpty)
    #expect(result.progress.completedBytes == plan.totals.bytes)
    #expect(result.progress.totalBytes == plan.totals.bytes)
  }

  @Test func `an expired copy of an encoded response is validated correctly over sockets`()
    async throws
  {
    let server = try LoopbackServer([
      "/a": .content(Self.body, eTag: "\"v1\"", cacheControl: "max-age=60").gzipped()
    ])
    let clock = world.clock
    let client = Client { $0.now = { clock.date } }
    _ = try await client.resource(at: server.url("/a")).value
    clock.advance(by: .seconds(100_000))

    let same = try await client.batch([server.url("/a")]).plan().value
    server.route(
      "/a",
      .content(Self.changed, eTag: "\"v2\"", cacheControl: "max-age=60").gzipped()
    )
    let changed = try await client.batch([server.url("/a")]).plan().value
    let result = try await changed.run().value

    #expect(same.items.map(\.need) == [.validation])
    #expect(changed.items.map(\.need) == [.body(200)])
    #expect(result.progress.completedBytes == 200)
    await server.stop()
  }

  @Test func `4.3.5: a HEAD of the plan that confirms a copy renews it`() async throws {
    let client = world.client(origin(Guarded(1), conditions: false))
    _ = try await client.resource(at: urls[0]).value
    world.clock.advance(by: .seconds(61))

    let first = try await client.batch(urls.prefix(1)).plan().value
    let second = try await client.batch(urls.prefix(1)).plan().value

    #expect(first.items.map(\.need) == [.validation])
    #expect(second.items.map(\.need) == [.none])
  }

  @Test func `asking for the size of the decoded body does not change the copy`() async throws {
    let version = Guarded(1)
    // It does not say so, but it has two representations.
    let client = world.client(origin(version, varies: false))
    _ = try await client.resource(at: urls[1]).value
    version.value = 2
    let always = ResourcePolicy { $0.network = .required }

    let plan = try await client.batch(urls.suffix(1), policy: always).plan().value

    #expect(plan.items.map(\.need) == [.body(200)])
    #expect(try await client.resource(at: urls[1]).value.source == .memory)
  }

  @Test func `a request for the head needs no body`() async throws {
    let client = world.client(origin(Guarded(1)))

    let plan = try await client.batch([Request(.head, urls[0])]).plan().value

    #expect(plan.items.map(\.need) == [.body(0)])
  }
}
