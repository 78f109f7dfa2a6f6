#if !canImport(Darwin)
import Foundation
import Freshet
import TestSupport

extension WireFault {
  /// What a server answers to HEAD, which has no body whatever its head says.
  static let headRequests: [WireFault] = [
    // The body that must not come is the beginning of the next answer, unless the connection ends.
    head("answered with a body", Wire.response(Data("hello".utf8)), then: .goesOn),
    head("answered with a body, closed", Wire.response(Data("hello".utf8))),
    head("with a length and no body", Wire.head(["Content-Length: 400"]), then: .goesOn),
    head("with chunks and no body", Wire.head(["Transfer-Encoding: chunked"]), then: .goesOn),
    head(
      "with an encoding and no body",
      Wire.head(["Content-Encoding: gzip", "Content-Length: 9"]),
      then: .goesOn
    ),
    head("without a length", Wire.head(["X: 1"]), then: .goesOn),
    head("closed before the head", Data(), .error("connection")),
    head("reset before the head", Data(), .error("connection"), then: .resets),
    head("cut off", Data("HTTP/1.1 200 OK\r\nContent-Le".utf8), .error("connection")),
    head("never answered", Data(), .timedOut(.firstByte), then: .holds),
    head("answered with two lengths", lengths("5", "4"), .error("invalidResponse")),
  ]

  private static func lengths(_ first: String, _ second: String) -> Data {
    Wire.head(["Content-Length: \(first)", "Content-Length: \(second)"])
  }

  private static func head(
    _ name: String,
    _ bytes: Data,
    _ expectation: Expectation = .value(Data()),
    then aftermath: Aftermath = .ends
  ) -> WireFault {
    WireFault("HEAD \(name)", bytes, expectation, then: aftermath)
      .only(.send)
      .asked { $0.method = .head }
      .slow
  }
}
#endif
