#if os(Linux)
import Foundation
import Freshet

/// What came of one operation: exactly one of these.
enum Ending: Sendable, CustomStringConvertible {
  case value(Data, status: Int)
  case failure(FreshetError)
  /// Nothing within the time in which there had to be something.
  case silence

  var description: String {
    switch self {
    case .value(let data, let status): "\(status) with \(data.count) bytes"
    case .failure(let error): "\(error)"
    case .silence: "nothing at all"
    }
  }
}

/// What may come of an operation.
struct Expectation: Sendable {
  var values: [Data] = []
  var kinds: Set<String> = []

  static func error(_ kinds: String...) -> Expectation { Expectation(kinds: Set(kinds)) }

  static func value(_ data: Data) -> Expectation { Expectation(values: [data]) }

  static func value(_ data: Data, orError kinds: String...) -> Expectation {
    Expectation(values: [data], kinds: Set(kinds))
  }

  func problems(with ending: Ending) -> [String] {
    switch ending {
    case .value(let data, _):
      values.contains { $0.elementsEqual(data) } ? [] : ["this value is not right"]
    case .failure(let error):
      kinds.contains(error.kind) ? [] : ["\(error.kind) is not among \(kinds.sorted())"]
    case .silence: ["it hangs"]
    }
  }
}

/// The ways in which a request can be made.
enum Operation: String, CaseIterable, Sendable {
  case send, resource, file, batch

  /// Does it, within the time.
  func run(_ request: Request, with client: Client, seconds: Double = 15) async -> Ending {
    await withTaskGroup(of: Ending.self) { group in
      group.addTask { await perform(request, with: client) }
      group.addTask {
        // A cancelled watch has nothing to say.
        try? await Task.sleep(for: .seconds(seconds))
        return .silence
      }
      let first = await group.next() ?? .silence
      group.cancelAll()
      return first
    }
  }

  private func perform(_ request: Request, with client: Client) async -> Ending {
    do throws(FreshetError) {
      switch self {
      case .send:
        let response = try await client.send(request).value
        return .value(response.value, status: response.status.rawValue)
      case .resource, .file:
        let resource = try await client.resource(request).value
        return .value(try resource.data(), status: resource.status.rawValue)
      case .batch:
        return try await batch(request, with: client)
      }
    } catch {
      return .failure(error)
    }
  }

  /// A batch of one, whose account must be right.
  private func batch(_ request: Request, with client: Client) async throws(FreshetError) -> Ending {
    var received: [Ending] = []
    var results: [BatchResult] = []
    for try await event in client.batch([request]).run() {
      switch event {
      case .received(_, let resource):
        received.append(.value(try resource.data(), status: resource.status.rawValue))
      case .failed(_, let error): received.append(.failure(error))
      case .finished(let result): results.append(result)
      case .started, .progressed, .advanced: break
      }
    }
    guard received.count == 1, results.count == 1, results[0].progress.endedItems == 1 else {
      return .failure(
        .store("the batch's account: \(received.count) ends, \(results.count) results")
      )
    }
    return received[0]
  }
}
#endif
