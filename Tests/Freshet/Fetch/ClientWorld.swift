import Foundation
import Freshet
import FreshetTesting

/// A client with a clock and a script of its own.
struct ClientWorld: Sendable {
  let clock = VirtualClock()
  let memory = MemoryStore()

  static let url = "http://a.example/logo"
  static let origin = URL(string: "http://a.example") ?? URL(filePath: "/")

  var now: @Sendable () -> Date {
    let clock = clock
    return { clock.date }
  }

  var request: Request {
    get throws { try Request(Self.url) }
  }

  /// A client that answers from a script, keeps things in this world's memory, and lives by its clock.
  func client(
    _ transport: some Transport,
    _ configure: (inout Client.Configuration) -> Void = { _ in }
  ) -> Client {
    let clock = clock
    return Client {
      $0.transport = transport
      $0.memory = memory
      $0.now = { clock.date }
      configure(&$0)
    }
  }

  /// A response that was made now.
  func response(
    _ text: String,
    control: String = "max-age=60",
    status: HTTPStatus = .ok,
    headers: HTTPHeaders = [.eTag: "\"v1\""]
  ) -> ScriptedResponse {
    let own: HTTPHeaders = [.date: HTTPDate.format(clock.date), .cacheControl: control]
    return ScriptedResponse(status, headers: own.merging(headers), body: Data(text.utf8))
  }
}

extension AsyncSequence where Element == Event<Resource>, Failure == FreshetError {
  /// What is shown, in order: origin, freshness and body of each value.
  var shown: [String] {
    get async throws {
      var shown: [String] = []
      for try await event in self {
        guard let resource = event.value else { continue }
        let end = resource.isFinal ? "" : ", not final"
        shown.append("\(resource.source) \(resource.freshness): \(try resource.text)\(end)")
      }
      return shown
    }
  }
}
