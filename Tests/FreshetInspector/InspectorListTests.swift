import Foundation
import Freshet
import FreshetTesting
import Testing

@testable import FreshetInspector

/// The lists of `InspectorView`, which is a shell around them.
@Suite struct InspectorListTests {
  private static let url = "http://a.test/one?token=secret"

  @Test func `a list has the newest calls first, without secrets`() async throws {
    let world = InspectorWorld { request in
      request.url.path == "/one" ? .cached("x") : ScriptedResponse(404)
    }
    _ = try await world.client.resource(Request(.get, Self.url)).value
    _ = try await world.client.resource(Request(.get, Self.url)).value
    _ = try? await world.client.resource(Request(.get, "http://a.test/two")).value
    let running = world.inspector.recorder.begin(try Request(.put, Self.url), nil, client: 1)
    let list = world.inspector.summaries

    #expect(list.map(\.id) == [4, 3, 2, 1])
    #expect(
      list.map(\.title) == [
        "PUT http://a.test/one", "GET http://a.test/two", "GET http://a.test/one",
        "GET http://a.test/one",
      ]
    )
    let details = list.map { $0.details.components(separatedBy: " · ") }
    #expect(
      details.map { $0.dropLast(2) } == [
        ["running"], ["failed"], ["200", "memory"], ["200", "network"],
      ]
    )
    withExtendedLifetime(running) {}
  }

  @Test func `a list comes at once, and again when a call has changed`() async throws {
    let world = InspectorWorld({ _ in .cached("x") }, inspector: { $0.interval = .milliseconds(1) })
    let inspector = world.inspector
    var version: Int?

    let first = await inspector.summaries(since: &version)
    let call = inspector.recorder.begin(try Request(.get, Self.url), nil, client: 1)
    let second = await inspector.summaries(since: &version)
    call.ended(nil)
    let third = await inspector.summaries(since: &version)

    #expect(first?.isEmpty == true)
    #expect(second?.first?.details.hasPrefix("running") == true)
    #expect(third?.first?.details.hasPrefix("succeeded") == true)
  }

  @Test func `lists come no more often than the page is updated`() async throws {
    let interval = Duration.milliseconds(50)
    let world = InspectorWorld({ _ in .cached("x") }, inspector: { $0.interval = interval })
    let inspector = world.inspector
    var version: Int?
    _ = await inspector.summaries(since: &version)
    let began = ContinuousClock.now
    let call = inspector.recorder.begin(try Request(.get, Self.url), nil, client: 1)
    let next = await inspector.summaries(since: &version)

    #expect(next?.count == 1)
    #expect(ContinuousClock.now - began >= interval)
    withExtendedLifetime(call) {}
  }

  @Test func `the lists end with their task`() async throws {
    let world = InspectorWorld { _ in .cached("x") }
    let task = Task { [inspector = world.inspector] in
      var (count, version) = (0, Int?.none)
      while await inspector.summaries(since: &version) != nil { count += 1 }
      return count
    }
    task.cancel()

    #expect(await task.value <= 1)
  }

  @Test func `the sentences of a call are its explanation`() async throws {
    let world = InspectorWorld({ _ in .cached("x") }, inspector: { $0.capacity = 1 })
    let first = try await world.client.resource(Request(.get, Self.url)).value
    let inspector = world.inspector
    #expect(inspector.sentences(of: 1) == first.explanation.map(\.description))

    let call = inspector.recorder.begin(try Request(.get, Self.url), nil, client: 1)
    #expect(inspector.sentences(of: 2) == ["There is no explanation yet."])
    #expect(inspector.sentences(of: 1) == ["Call 1 is no longer kept."])
    withExtendedLifetime(call) {}
  }
}
