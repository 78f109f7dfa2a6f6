import Foundation
import Freshet
import FreshetTesting
import Synchronization

/// What answers the requests of operations that are swept, and can be told to answer no more.
final class SweptOrigin: Sendable {
  private struct State {
    /// Of how many exchanges from now on the first is held.
    var heldFrom: Int?
    var point = ScriptedResponse.Point.beforeHead
    var refusals = 0
  }

  /// Where exchanges stand that are held.
  let gate = Gate()
  private let state = Mutex(State())

  static let large = GeneratedBytes(length: 3_000, seed: 1).bytes(in: 0..<3_000)

  /// Holds the exchanges that begin from now on, after so many; `nil` lets everything pass.
  func hold(from number: Int?, at point: ScriptedResponse.Point = .beforeHead) {
    state.withLock { ($0.heldFrom, $0.point) = (number, point) }
    if number == nil { gate.open() }
  }

  func answer(_ request: Request) -> ScriptedResponse {
    let held: ScriptedResponse.Point? = state.withLock { state in
      guard let left = state.heldFrom else { return nil }
      state.heldFrom = max(0, left - 1)
      return left == 0 ? state.point : nil
    }
    let response = response(to: request)
    return held.map { response.waiting(for: gate, at: $0) } ?? response
  }

  private func response(to request: Request) -> ScriptedResponse {
    let headers: HTTPHeaders = [
      .eTag: "\"v1\"", .cacheControl: "max-age=60, stale-while-revalidate=600",
    ]
    if request.headers[.ifNoneMatch] != nil { return ScriptedResponse(304, headers: headers) }
    if request.method == .head { return ScriptedResponse(headers: headers) }
    switch request.url.path() {
    case "/old-large", "/large":
      return ScriptedResponse(
        headers: headers,
        chunks: [Self.large.prefix(1_500), Self.large.dropFirst(1_500)]
      )
    case "/broken": return broken(request, headers)
    case "/flaky": return refuses() ? ScriptedResponse(503) : .json("[1]")
    case "/moved": return ScriptedResponse(302, headers: [.location: "/list"])
    case "/closed":
      return ScriptedResponse(request.headers[.authorization] == "Bearer new" ? 200 : 401)
    case "/page" where request.url.query() == nil:
      return ScriptedResponse(headers: ["Link": "<?2>; rel=next"], body: Data("[1]".utf8))
    case "/person": return .json(#"{"id": 7, "name": "Ann", "followers_count": 1}"#)
    case "/people": return .json(#"[{"id": 7, "name": "Ann", "followers_count": 1}]"#)
    case "/envelope": return .json(#"{"data": [1], "payload": [1]}"#)
    case "/events":
      return ScriptedResponse(
        headers: [.contentType: "text/event-stream"],
        body: Data("data: a\n\n".utf8)
      )
    case "/old", "/new": return ScriptedResponse(headers: headers, body: Data("[1]".utf8))
    default: return .json("[1]")
    }
  }

  /// Every other time.
  private func refuses() -> Bool {
    state.withLock { state in
      state.refusals += 1
      return state.refusals % 2 == 1
    }
  }

  /// A body whose first transfer breaks off in the middle.
  private func broken(_ request: Request, _ headers: HTTPHeaders) -> ScriptedResponse {
    let count = Self.large.count
    guard let range = request.headers[.range],
      let position = Int(range.dropFirst("bytes=".count).dropLast())
    else {
      return ScriptedResponse(
        headers: headers.merging([.contentLength: "\(count)"]),
        chunks: [Self.large.prefix(1_500)]
      )
      .failing(with: .connection(.lost, url: request.url.absoluteString), at: .afterChunks(1))
    }
    let own: HTTPHeaders = [
      .contentRange: "bytes \(position)-\(count - 1)/\(count)",
      .contentLength: "\(count - position)",
    ]
    return ScriptedResponse(
      206,
      headers: headers.merging(own),
      body: Self.large.dropFirst(position)
    )
  }
}
