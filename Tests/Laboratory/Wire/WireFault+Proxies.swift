#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import TestSupport

extension WireFault {
  /// What a proxy may say to `CONNECT`; by the host that is asked for.
  static let proxies: [WireFault] = [
    WireFault("refuses", "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n", any),
    WireFault("fails", "HTTP/1.1 502 Bad\r\nContent-Length: 5\r\n\r\nhello", any),
    WireFault("closes", "", any),
    WireFault("resets", "", any, then: .resets),
    WireFault("is silent", "", any, then: .holds).slow,
    WireFault("is none", "SSH-2.0-x\r\n\r\n", any),
    WireFault("agrees and closes", tunnel, any),
    WireFault("agrees and resets", tunnel, any, then: .resets),
    WireFault("agrees and is silent", tunnel, any, then: .holds).slow,
    WireFault(
      "agrees and speaks HTTP",
      tunnel + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      any
    ),
    WireFault("agrees with a body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", any),
    WireFault("agrees twice", tunnel + tunnel, any),
    WireFault("redirects", "HTTP/1.1 302 Found\r\nLocation: http://evil.invalid/\r\n\r\n", any),
    WireFault("answers with a head without an end", any) { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\n")
      while connection.write(String(repeating: "X: 1\r\n", count: 1_000)) {}
      return .ends
    },
  ]

  private static let any = Expectation.error("connection")
  private static let tunnel = "HTTP/1.1 200 Connected\r\n\r\n"
}
#endif
