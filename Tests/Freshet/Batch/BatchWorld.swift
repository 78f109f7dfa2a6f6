import Foundation
import Freshet
import FreshetTesting

/// What the tests of batches share: a client whose origin answers by path, and helpers.
struct BatchWorld: Sendable {
  let gate = Gate()

  static func url(_ path: String) -> URL {
    URL(string: "http://a.example/\(path)") ?? URL(filePath: "/")
  }

  static func request(_ path: String, _ priority: Request.Priority = .normal) -> Request {
    var request = Request(url(path))
    request.priority = priority
    return request
  }

  /// Answers by the last part of the path: a number is a body of that size, `missing` a 404, `chunked`
  /// a body without a length, `no-head` a body whose `HEAD` is not allowed, `gated` one that waits,
  /// `held` one that waits unless it is only asked for its size.
  func origin() -> ScriptedTransport {
    ScriptedTransport { [gate] request in
      let path = request.url.lastPathComponent
      let kind = path.prefix { $0 != "_" }
      let body = Data(repeating: 0x61, count: Int(kind) ?? 10)
      var headers: HTTPHeaders = [.cacheControl: "max-age=3600", .contentLength: "\(body.count)"]
      if kind == "missing" { return ScriptedResponse(404) }
      if kind == "chunked" { headers.remove(.contentLength) }
      if kind == "no-head" {
        if request.method == .head { return ScriptedResponse(405) }
        if request.headers.contains(.range) {
          return ScriptedResponse(
            206,
            headers: [.contentRange: "bytes 0-0/10"],
            body: Data("a".utf8)
          )
        }
      }
      let response = ScriptedResponse(
        headers: headers,
        body: request.method == .head ? Data() : body
      )
      let waits = kind == "gated" || kind == "held" && request.method == .get
      return waits ? response.waiting(for: gate) : response
    }
  }

  func client(_ transport: any Transport, memory: MemoryStore? = MemoryStore()) -> Client {
    Client {
      $0.transport = transport
      $0.memory = memory
    }
  }
}

extension BatchEvent {
  /// The event in a word with its item's path.
  var name: String {
    switch self {
    case .started(let item): "started \(item.request.url.lastPathComponent)"
    case .progressed(let item, _): "progressed \(item.request.url.lastPathComponent)"
    case .received(let item, _): "received \(item.request.url.lastPathComponent)"
    case .failed(let item, _): "failed \(item.request.url.lastPathComponent)"
    case .advanced: "advanced"
    case .finished: "finished"
    }
  }

  var advanced: BatchProgress? {
    if case .advanced(let progress) = self { progress } else { nil }
  }
}

/// Requests as an `AsyncSequence`, with a failure at the end if there is one.
struct RequestScript: AsyncSequence, Sendable {
  let requests: [Request]
  var failure: FreshetError?
  /// Called with the number of each request that is taken.
  var onTake: @Sendable (Int) -> Void = { _ in }

  func makeAsyncIterator() -> Iterator {
    Iterator(script: self)
  }

  struct Iterator: AsyncIteratorProtocol {
    let script: RequestScript
    var index = 0

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Request? {
      guard index < script.requests.count else {
        if let failure = script.failure { throw failure }
        return nil
      }
      script.onTake(index)
      defer { index += 1 }
      return script.requests[index]
    }
  }
}
