import Foundation
import Freshet

/// What a transfer brought, from its first event to its end.
struct CallResult: Sendable {
  var names: [String] = []
  var status: Int?
  var headers: HTTPHeaders = [:]
  var text = ""
  var error: FreshetError?
  /// How often it ended: once, or something is wrong.
  var ends = 0

  init(_ transfer: Transfer) async {
    var iterator = transfer.makeAsyncIterator()
    do throws(FreshetError) {
      while let event = try await iterator.next() { add(event) }
      if names.last != "finished" { names.append("nothing") }
    } catch {
      self.error = error
      ends += 1
    }
    if await (try? iterator.next()) != nil { names.append("more") }
  }

  private mutating func add(_ event: TransferEvent) {
    names.append(event.shortName)
    switch event {
    case .head(let head):
      status = head.status.rawValue
      headers = head.headers
    case .body(let data): text += String(decoding: data, as: UTF8.self)
    case .finished: ends += 1
    case .waitingForConnectivity, .sent, .redirected, .retrying, .interim: break
    }
  }
}

extension TransferEvent {
  var shortName: String {
    switch self {
    case .waitingForConnectivity: "waiting"
    case .sent: "sent"
    case .redirected: "redirected"
    case .retrying(let attempt, let delay, _): "retrying \(attempt) after \(delay / .seconds(1)) s"
    case .interim(let head): "interim \(head.status)"
    case .head(let head): "head \(head.status)"
    case .body: "body"
    case .finished: "finished"
    }
  }
}

extension Transport {
  /// Sends and reads to the end.
  func call(_ request: Request) async -> CallResult {
    await CallResult(send(request))
  }
}

extension Request {
  init(
    _ method: HTTPMethod = .get,
    to text: String = "http://a.test/x",
    _ change: (inout Request) -> Void = { _ in }
  ) throws {
    self = try Request(method, text)
    change(&self)
  }
}

/// Random numbers that are not: always the same fraction.
struct FixedFraction: RandomNumberGenerator, Sendable {
  var bits: UInt64

  init(fraction: Double) {
    bits = UInt64(fraction * 0x1p53) << 11
  }

  mutating func next() -> UInt64 { bits }
}
