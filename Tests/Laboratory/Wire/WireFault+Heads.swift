#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import TestSupport

extension WireFault {
  private static let tooMuch = Expectation.error("limitExceeded")
  private static let bad = Expectation.error("invalidResponse")
  private static let hello = Data("hello".utf8)

  /// Heads that are too large.
  static let heads: [WireFault] = [
    flood("100,000 header fields", String(repeating: "X: 1\r\n", count: 1_000), times: 100),
    flood("10 MiB of one field", String(repeating: "x", count: 1 << 20), begin: "X: ", times: 10),
    flood("10 MiB of fields", "X: " + String(repeating: "x", count: 9_000) + "\r\n", times: 1_200),
    flood(
      "a field without an end",
      String(repeating: "x", count: 1 << 20),
      begin: "X: ",
      times: 40
    ),
    WireFault("1,000 header fields", fields(998) + "Content-Length: 5\r\n\r\nhello", .value(hello)),
    WireFault("1,001 header fields", fields(1_000) + "Content-Length: 5\r\n\r\nhello", tooMuch),
    WireFault(
      "a field of 90 KiB",
      "HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 90 << 10))\r\n"
        + "Content-Length: 5\r\n\r\nhello",
      .value(hello)
    ),
  ]

  private static func fields(_ count: Int) -> String {
    "HTTP/1.1 200 OK\r\n" + String(repeating: "X: 1\r\n", count: count)
  }

  private static func flood(
    _ name: String,
    _ text: String,
    begin: String = "",
    times: Int
  ) -> WireFault {
    WireFault(name, tooMuch) { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\n" + begin)
      for _ in 0..<times { guard connection.write(text) else { break } }
      connection.write("\r\n\r\n")
      return .ends
    }
  }

  /// First lines that are none.
  static let statusLines: [WireFault] = [
    line("SSH-2.0-OpenSSH_9.2"), line("HTTP/1.1 2x0 OK"), line("HTTP/1.1 20 OK"),
    line("HTTP/1.1 2000 OK"), line("HTTP/1.1 -200 OK"), line("HTTP/1.1 099 OK"),
    line("HTTP/1.1"), line("HTTP/7.1 200 OK"), line("HTTP 200 OK"), line("FTP/1.1 200 OK"),
    line("200 OK"), line("\u{0}\u{0}\u{0}\u{0}"),
    line("HTTP/1.1\t200 OK", .value(hello, orError: "invalidResponse")),
    line("HTTP/1.1 200", .value(hello)), line("HTTP/1.0 200 OK", .value(hello)),
    line("HTTP/1.1 999 Odd", .value(hello, orError: "status")),
    line("HTTP/1.1 000 None", .error("invalidResponse", "status")),
    WireFault("nothing but a blank line", "\r\n\r\n", bad),
    WireFault("a megabyte without a line", .error("invalidResponse", "limitExceeded")) {
      connection,
      _ in
      connection.write(String(repeating: "x", count: 1 << 20))
      return .ends
    },
    WireFault(
      "HTTP/2 without being asked",
      "HTTP/2 200\r\nContent-Length: 5\r\n\r\nhello",
      .value(hello, orError: "invalidResponse")
    ),
    WireFault(
      "101 that nobody asked for",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello",
      .value(hello, orError: "invalidResponse", "status", "connection")
    ),
  ]

  private static func line(_ line: String, _ expectation: Expectation = bad) -> WireFault {
    let name = line.unicodeScalars.map { $0.value < 32 ? "nul" : String($0) }.joined()
    return WireFault(
      "status line \(name)",
      line + "\r\nContent-Length: 5\r\n\r\nhello",
      expectation
    )
  }

  /// Fields that are none, or hold what fields must not hold, and what may be told of them.
  static let fields: [WireFault] = [
    field("a null in a value", "X: a\u{0}b", ["X": "a b"]),
    field("a null in a name", "X\u{0}Y: b", [:]),
    field("a control character in a value", "X: a\u{1}b", ["X": "a\u{1}b"]),
    field("an escape in a value", "X: \u{1B}[31mred", ["X": "\u{1B}[31mred"]),
    field("a delete character in a value", "X: a\u{7F}b", ["X": "a\u{7F}b"]),
    field("a carriage return in a value", "X: a\rSet-Cookie: a=b", ["X": "a Set-Cookie: a=b"]),
    field("a control character in a name", "X\u{1}: a", [:]),
    field("a line feed alone", "X: a\nY: b", ["X": "a", "Y": "b"]),
    field("a line without a colon", "this is no field", [:]),
    field("an empty name", ": a", [:]),
    field("a space before the colon", "X : a", ["X": "a"]),
    field("a folded value", "X: a\r\n  b", ["X": "a b"]),
    field(
      "bytes that are no UTF-8",
      Data("X: a".utf8) + [0xFF, 0xC0, 0x80],
      ["X": "a\u{FF}\u{C0}\u{80}"]
    ),
    field("a folded line at first", Data(" folded".utf8), [:]),
  ]

  private static func field(_ name: String, _ text: String, _ told: [String: String]) -> WireFault {
    field(name, Data(text.utf8), told)
  }

  private static func field(_ name: String, _ bytes: Data, _ told: [String: String]) -> WireFault {
    var expectation = Expectation.value(hello, orError: "invalidResponse")
    expectation.fields = { headers in
      let found = headers.filter { $0.name != .contentLength }.map { [$0.name.rawValue, $0.value] }
      let right = told.sorted { $0.key < $1.key }.map { [$0.key, $0.value] }
      return found == right ? [] : ["it tells \(found) instead of \(right)"]
    }
    return WireFault(
      "field with \(name)",
      Data("HTTP/1.1 200 OK\r\n".utf8) + bytes + Data("\r\nContent-Length: 5\r\n\r\nhello".utf8),
      expectation
    )
  }
}
#endif
