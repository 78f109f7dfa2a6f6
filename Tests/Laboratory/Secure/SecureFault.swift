#if !canImport(Darwin)
import Foundation
import Freshet

/// A server of `server.py`, by its name, and what has to come of it.
struct SecureFault: Sendable {
  let name: String
  let expectation: Expectation
  var operations = Operation.allCases
  var change: @Sendable (inout Request) -> Void = { _ in }

  init(_ name: String, _ expectation: Expectation) {
    self.name = name
    self.expectation = expectation
  }

  func uploading() -> SecureFault {
    var fault = self
    fault.operations = [.send]
    fault.change = { request in
      request.method = .post
      request.body = .bytes(Data(count: 2 << 20))
    }
    return fault
  }

  static let sound = SecureFault("sound", .value(Wire.soundBody))
  private static let insecure = Expectation.error("insecure")
  private static let lost = Expectation.error("connection")
  private static let bad = Expectation.error("connection", "invalidResponse")

  static let tls: [SecureFault] = [
    SecureFault("expired", insecure), SecureFault("wrong host", insecure),
    SecureFault("unknown authority", insecure), SecureFault("its own authority", insecure),
    SecureFault("too old", insecure), SecureFault("no TLS", insecure),
    SecureFault("noise for a handshake", .error("insecure", "connection")),
    SecureFault("a handshake cut off", lost),
    SecureFault("an alert for a handshake", insecure),
    SecureFault("a silent handshake", .error("timedOut")),
    SecureFault("closed at the handshake", lost), SecureFault("reset at the handshake", lost),
    SecureFault("torn before its length", lost),
    // Servers that end so are so many that libcurl tells OpenSSL to accept it.
    SecureFault(
      "torn without a length",
      .value(Data((0..<9_000).map { UInt8($0 % 251) }), orError: "connection")
    ),
    SecureFault("ended without a length", .value(Wire.soundBody)),
  ]

  static let http2: [SecureFault] =
    streams + frames + [
      SecureFault(
        "h2 upload answered early",
        Expectation(values: [Data("no".utf8)], kinds: ["connection"])
      )
      .uploading(),
      SecureFault("h2 upload never read", .error("timedOut")).uploading(),
    ]

  /// Connections that freeze after their first answer, beside which others are sound.
  static let frozen: [SecureFault] = [
    SecureFault("h2 frozen", .value(Wire.soundBody)),
    SecureFault("h2 ends when used again", .value(Wire.soundBody)),
    SecureFault("h2 goodbye when used again", .value(Wire.soundBody)),
    SecureFault("h2 no more streams", .value(Wire.soundBody)),
    SecureFault("h2 frozen in a body", .timedOut(.idle)),
  ]

  /// Those that one of several streams meets; with a value, nobody does.
  static let several: [SecureFault] = [
    SecureFault("h2 one of six is reset", lost),
    // A stream that was refused has not been looked at, and is sent again.
    SecureFault("h2 one of six is refused", .value(Wire.soundBody)),
    SecureFault("h2 one of six is reset in its body", lost),
    SecureFault("h2 one of six stalls", .timedOut(.idle)),
    // It is asked again over another connection.
    SecureFault("h2 one of six is never answered", .value(Wire.soundBody)),
    SecureFault("h2 GOAWAY before the fourth of six", .value(Wire.soundBody)),
  ]

  private static let streams: [SecureFault] = [
    SecureFault("h2 sound", .value(Wire.soundBody)),
    SecureFault("h2 goaway at once", bad),
    SecureFault("h2 goaway, then sound", .value(Wire.soundBody, orError: "connection")),
    SecureFault("h2 goaway, answered", .value(Wire.soundBody)),
    SecureFault("h2 goaway in the body", bad), SecureFault("h2 goaway of an error", bad),
    SecureFault("h2 refused stream", bad),
    SecureFault("h2 refused stream, then sound", .value(Wire.soundBody)),
    SecureFault("h2 reset before the head", bad), SecureFault("h2 reset with no error", bad),
    SecureFault("h2 cancelled", bad), SecureFault("h2 wants HTTP/1.1", bad),
    SecureFault("h2 reset in the body", bad),
    SecureFault("h2 reset in the body with no error", bad),
    SecureFault("h2 head that never comes", .error("timedOut")),
    SecureFault("h2 body stalled", .error("timedOut")),
    SecureFault("h2 body dripped", .error("timedOut")),
    SecureFault("h2 too short", bad),
    SecureFault("h2 too long", bad),
    SecureFault("h2 closed in the body", bad), SecureFault("h2 torn in the body", bad),
    SecureFault("h2 torn without a length", bad), SecureFault("h2 closed at once", bad),
  ]

  private static let frames: [SecureFault] = [
    SecureFault("h2 noise", bad), SecureFault("h2 answers HTTP/1.1", bad),
    SecureFault("h2 fields that cannot be read", bad), SecureFault("h2 no status", bad),
    SecureFault("h2 two statuses", bad),
    SecureFault(
      "h2 a name in capitals",
      .value(Wire.soundBody, orError: "connection", "invalidResponse")
    ),
    SecureFault(
      "h2 a line feed in a value",
      .value(Wire.soundBody, orError: "connection", "invalidResponse")
    ),
    SecureFault(
      "h2 a null in a value",
      .value(Wire.soundBody, orError: "connection", "invalidResponse")
    ),
    SecureFault(
      "h2 100,000 header fields",
      .error("limitExceeded", "connection", "invalidResponse")
    ),
    SecureFault(
      "h2 a head without an end",
      .error("limitExceeded", "connection", "invalidResponse")
    ),
    // libcurl ends the stream as if it were whole; nothing of it has come.
    SecureFault("h2 a frame too large", .value(Data(), orError: "connection", "invalidResponse")),
    SecureFault(
      "h2 a frame of no stream",
      .value(Wire.soundBody, orError: "connection", "invalidResponse")
    ),
    SecureFault("h2 a body after its end", .value(Wire.soundBody, orError: "connection")),
    SecureFault("h2 a body before its head", bad),
    SecureFault(
      "h2 a pushed response",
      .value(Wire.soundBody, orError: "connection", "invalidResponse")
    ),
    SecureFault(
      "h2 more than the window",
      .error("connection", "invalidResponse", "limitExceeded")
    ),
    SecureFault(
      "h2 a window of nothing",
      .value(Wire.soundBody, orError: "connection", "invalidResponse")
    ),
    SecureFault(
      "h2 a window beyond all bounds",
      .value(Wire.soundBody, orError: "connection", "invalidResponse")
    ),
    SecureFault(
      "h2 ten thousand pings",
      .value(Wire.soundBody, orError: "connection", "invalidResponse")
    ),
    SecureFault(
      "h2 ten thousand settings",
      .value(Wire.soundBody, orError: "connection", "invalidResponse")
    ),
    SecureFault("h2 interim responses", .value(Wire.soundBody)),
  ]
}
#endif
