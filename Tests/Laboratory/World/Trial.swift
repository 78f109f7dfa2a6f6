#if !canImport(Darwin)
import Foundation
import Freshet

/// What came of one operation: exactly one of these.
enum Ending: Sendable, CustomStringConvertible {
  case value(Data, status: Int, HTTPHeaders)
  case failure(FreshetError)
  /// Nothing within the time in which there had to be something.
  case silence

  var description: String {
    switch self {
    case .value(let data, let status, _): "\(status) with \(data.count) bytes"
    case .failure(let error): "\(error)"
    case .silence: "nothing at all"
    }
  }
}

/// What may come of an operation.
struct Expectation: Sendable {
  var values: [Data] = []
  var kinds: Set<String> = []
  /// Statuses whose bodies may be anything.
  var statuses: Set<Int> = []
  /// Which of its limits a time-out has to name, if that is known.
  var phase: FreshetError.TimeoutPhase?
  /// What is wrong with the fields that came with a value.
  var fields: @Sendable (HTTPHeaders) -> [String] = { _ in [] }

  static func error(_ kinds: String...) -> Expectation { Expectation(kinds: Set(kinds)) }

  static func value(_ data: Data) -> Expectation { Expectation(values: [data]) }

  static func value(_ data: Data, orError kinds: String...) -> Expectation {
    Expectation(values: [data], kinds: Set(kinds))
  }

  static func timedOut(_ phase: FreshetError.TimeoutPhase) -> Expectation {
    Expectation(kinds: ["timedOut"], phase: phase)
  }

  /// Returns the expectation that also accepts a copy that was stored before.
  func orValue(_ data: Data) -> Expectation {
    var other = self
    other.values.append(data)
    return other
  }

  func problems(with ending: Ending) -> [String] {
    switch ending {
    case .value(let data, let status, let headers):
      let isRight = values.contains { $0.elementsEqual(data) } || statuses.contains(status)
      return (isRight ? [] : ["this value is not right"]) + fields(headers)
    case .failure(.timedOut(let found, _)) where phase.map { $0 != found } ?? false:
      return ["it was not the limit that had to end it, but \(found)"]
    case .failure(let error):
      return kinds.contains(error.kind)
        ? [] : ["\(error.kind) is not among \(kinds.sorted())"]
    case .silence: return ["it did not end within its time"]
    }
  }
}

/// The ways in which a request can be made.
enum Operation: String, CaseIterable, Sendable {
  case send, resource, file, batch
  /// A body in a file of the system's temporary folder, for there is no store.
  case temporary

  /// Whether small bodies go to a file too.
  var isSpooled: Bool { self == .file || self == .temporary }

  /// Does it, within its own time and what a busy machine may add to that, or within another time.
  ///
  /// - Parameters:
  ///   - request: What is asked for.
  ///   - client: What asks.
  ///   - seconds: The time in which it has to end.
  ///   - patience: After how long it is cancelled; never by default.
  /// - Returns: What has come of it.
  func run(
    _ request: Request,
    with client: Client,
    seconds: Double? = nil,
    cancelledAfter patience: Duration? = nil
  ) async -> Ending {
    let own = request.timeouts.total.map { $0 / .seconds(1) } ?? 60
    return await Race.first(within: seconds ?? own + 30) {
      guard let patience else { return await perform(request, with: client) }
      let task = Task { await perform(request, with: client) }
      try? await Task.sleep(for: patience)
      task.cancel()
      return await task.value
    } ?? .silence
  }

  private func perform(_ request: Request, with client: Client) async -> Ending {
    do throws(FreshetError) {
      switch self {
      case .send:
        let response = try await client.send(request).value
        return .value(response.value, status: response.status.rawValue, response.headers)
      case .resource, .file, .temporary:
        let resource = try await client.resource(request).value
        return .value(try resource.data(), status: resource.status.rawValue, resource.headers)
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
        let status = resource.status.rawValue
        received.append(.value(try resource.data(), status: status, resource.headers))
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
