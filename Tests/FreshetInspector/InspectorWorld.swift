import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

@testable import FreshetInspector

/// An inspected client over a scripted network, and the answers of its inspector.
struct InspectorWorld {
  static let host = "inspector.test"
  static let start = Date(timeIntervalSince1970: 1_790_000_000)

  let inspector: Inspector
  let client: Client
  let memory = MemoryStore()
  let time = Shared(InspectorWorld.start)

  init(
    _ answer: @escaping @Sendable (Request) -> ScriptedResponse,
    configure: (inout Client.Configuration) -> Void = { _ in },
    inspector options: (inout Inspector.Configuration) -> Void = { _ in }
  ) {
    let (memory, time) = (memory, time)
    client = Client {
      $0.transport = ScriptedTransport(answer)
      $0.memory = memory
      $0.now = { time.value }
      configure(&$0)
    }
    inspector = Inspector {
      $0.hosts = [Self.host]
      $0.now = { time.value }
      options(&$0)
    }
    inspector.add(client)
  }

  /// The fields that a browser sends on its own page.
  static let fields: HTTPHeaders = ["Host": host, "Sec-Fetch-Site": "same-origin"]

  func get(_ path: String, _ headers: HTTPHeaders = fields) async -> InspectorResponse {
    await inspector.response(
      to: InspectorRequest(target: inspector.path + path, headers: headers)
    )
  }

  func post(_ path: String, _ headers: HTTPHeaders? = nil) async -> InspectorResponse {
    let fields: HTTPHeaders = [
      "Host": Self.host, "Sec-Fetch-Site": "same-origin", "Origin": "http://\(Self.host)",
      "X-Freshet-Inspector": "1",
    ]
    return await inspector.response(
      to: InspectorRequest(method: .post, target: inspector.path + path, headers: headers ?? fields)
    )
  }

  func json(_ path: String) async throws -> [String: Any] {
    try JSON.object(await get(path))
  }

  /// The rows of the page, the oldest first.
  func rows() async throws -> [[String: Any]] {
    try #require(try await json("api/state")["calls"] as? [[String: Any]])
  }

  func call(_ id: Int) async throws -> [String: Any] { try await json("api/calls/\(id)") }
}

/// A value behind a lock that closures share.
final class Shared<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  init(_ value: Value) {
    state = Mutex(value)
  }

  var value: Value {
    get { state.withLock(\.self) }
    set { state.withLock { $0 = newValue } }
  }
}

enum JSON {
  static func object(_ response: InspectorResponse) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: try #require(response.data))
    return try #require(value as? [String: Any])
  }
}

extension InspectorResponse {
  var data: Data? {
    if case .data(let data) = body { data } else { nil }
  }

  var text: String { String(decoding: data ?? Data(), as: UTF8.self) }
}

extension ScriptedResponse {
  static func cached(
    _ text: String,
    _ control: String = "max-age=60",
    eTag: String = "\"v1\""
  ) -> Self {
    Self(headers: [.cacheControl: control, .eTag: eTag], body: Data(text.utf8))
  }
}

/// Waits for something that another task does, at most a minute.
func until(_ isTrue: () async throws -> Bool) async throws {
  let end = ContinuousClock.now + .seconds(60)
  while try await !isTrue() {
    try #require(ContinuousClock.now < end, "it never came")
    try await Task.sleep(for: .milliseconds(5))
  }
}
