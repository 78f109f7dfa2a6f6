#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import Synchronization

/// An origin whose bodies change with each `PUT`, and which can hold a response back.
final class ChangingOrigin: Sendable {
  private let versions = Mutex<[Int: Int]>([:])
  private let gate = Mutex<Gate?>(nil)

  /// The body of a resource, now.
  func body(_ number: Int) -> Data { body(number, version(number)) }

  /// Answers with what is true when the request comes, whenever the response goes.
  var transport: ScriptedTransport {
    ScriptedTransport { [self] request in
      let number = Int(request.url.lastPathComponent) ?? 0
      if request.method == .put {
        versions.withLock { $0[number, default: 0] += 1 }
        return ScriptedResponse(204)
      }
      let version = version(number)
      let tag = "\"\(version)\""
      let headers: HTTPHeaders = [
        .eTag: tag, .cacheControl: "max-age=86400", .date: HTTPDate.format(Date()),
      ]
      let isSame = request.headers[.ifNoneMatch] == tag
      let response =
        isSame
        ? ScriptedResponse(304, headers: headers)
        : ScriptedResponse(headers: headers, body: body(number, version))
      guard request.headers.contains("X-Slow"), let gate = gate.withLock({ $0.take() }) else {
        return response
      }
      return response.waiting(for: gate)
    }
  }

  /// Holds the next response to a request with `X-Slow` back.
  func holdNext() -> Gate {
    let gate = Gate()
    self.gate.withLock { $0 = gate }
    return gate
  }

  private func version(_ number: Int) -> Int { versions.withLock { $0[number, default: 0] } }

  /// Every third is large enough for a file.
  private func body(_ number: Int, _ version: Int) -> Data {
    let length: Int64 = number % 3 == 0 ? 30_000 : 200 + Int64(number)
    let seed = UInt64(number) &* 1_000_003 &+ UInt64(version)
    return GeneratedBytes(length: length, seed: seed).bytes(in: 0..<length)
  }
}
#endif
