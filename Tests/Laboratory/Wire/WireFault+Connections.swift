#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import TestSupport

extension WireFault {
  /// The connection ends when it should not.
  static let connections: [WireFault] = [
    WireFault("closed before the head", "", .error("connection")),
    WireFault("reset before the head", "", .error("connection"), then: .resets),
    WireFault("closed in the head", "HTTP/1.1 200 OK\r\nContent-Le", .error("connection")),
    cut("reset in the head", after: 30, .error("connection")),
    cut("reset after the head", after: Wire.head([length]).count, .error("connection")),
    cut("reset in the body", after: 20_000, .error("connection")),
    cut("reset at the last byte", after: good.count - 1, .error("connection")),
    WireFault("closed at the last byte", good.dropLast(), .error("connection")),
    WireFault("closed after the last byte", good, .value(Wire.body)),
    WireFault("half-closed before the head", "", .error("connection"), then: .halfCloses),
    WireFault(
      "half-closed in the body",
      good.prefix(9_000),
      .error("connection"),
      then: .halfCloses
    ),
    // All that was announced has come; whether the reset is seen first is the kernel's choice.
    cut("reset after the last byte", after: good.count, .value(Wire.body, orError: "connection")),
  ]

  private static let length = "Content-Length: \(Wire.body.count)"
  private static let good = Wire.response(Wire.body)

  private static func cut(_ name: String, after count: Int, _ expectation: Expectation) -> WireFault
  {
    WireFault(name, expectation) { connection, _ in
      connection.write(good.prefix(count))
      breathe()
      return .resets
    }
  }

  /// The connection stays, and nothing or too little comes.
  static let times: [WireFault] = [
    WireFault("head that never comes", "", .timedOut(.firstByte), then: .holds).slow,
    WireFault("head that stops", "HTTP/1.1 200 OK\r\nX: ", .error("timedOut"), then: .holds).slow,
    WireFault("head dripped", .error("timedOut")) { connection, _ in
      drip(Wire.sound, into: connection, every: 30)
    }
    .slow,
    WireFault("body stalled for ever", good.prefix(9_000), .timedOut(.idle), then: .holds).slow,
    WireFault("body dripped", .error("timedOut")) { connection, _ in
      connection.write(Wire.head([length]))
      return drip(Wire.body, into: connection, every: 30)
    }
    .slow,
    WireFault("body without an end", .error("timedOut", "limitExceeded")) { connection, _ in
      connection.write(Wire.head(["Content-Type: text/plain"]))
      while connection.write(Wire.body) {}
      return .ends
    }
    .slow.asked { $0.limits.bodyBytes = 64 << 20 },
  ]

  private static func drip(
    _ bytes: Data,
    into connection: RawConnection,
    every milliseconds: UInt32
  ) -> Aftermath {
    for byte in bytes.prefix(500) {
      guard connection.write(Data([byte])) else { break }
      breathe(milliseconds)
    }
    return .ends
  }
}

#endif
