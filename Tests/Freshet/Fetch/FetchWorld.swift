import Foundation
import Freshet
import FreshetTesting

/// What the tests of stages share: a clock, a memory store, and helpers to look at steps.
struct FetchWorld: Sendable {
  let clock = VirtualClock()
  let memory = MemoryStore()

  static let url = "http://a.example/logo"

  var now: @Sendable () -> Date {
    let clock = clock
    return { clock.date }
  }

  var request: Request {
    get throws { try Request(Self.url) }
  }

  /// A response that is fresh for a minute by this world's clock and can be validated.
  func minute(
    _ text: String,
    eTag: String = "\"v1\"",
    control: String = "max-age=60"
  )
    -> ScriptedResponse
  {
    ScriptedResponse(
      headers: [.date: HTTPDate.format(clock.date), .cacheControl: control, .eTag: eTag],
      body: Data(text.utf8)
    )
  }

  /// Puts a response into the memory store as a download would.
  func store(_ response: ScriptedResponse) async throws {
    let transport = ScriptedTransport(sequence: [response])
    _ = try await Fetch.request(try request)
      .download(over: transport, now: now)
      .persist(in: memory)
      .settle()
      .value
  }
}

extension AsyncSequence where Element == Fetch, Failure == FreshetError {
  /// The names of the steps, in order.
  var names: [String] {
    get async throws {
      var names: [String] = []
      for try await step in self {
        names.append(step.name)
      }
      return names
    }
  }
}

extension Fetch {
  var name: String {
    switch self {
    case .resource(let resource) where !resource.isFinal: "resource, not final"
    default: kind.words
    }
  }
}

extension Resource {
  var text: String {
    get throws { String(decoding: try data(), as: UTF8.self) }
  }
}
