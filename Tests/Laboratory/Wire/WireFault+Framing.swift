#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import TestSupport

extension WireFault {
  private static let ok = "HTTP/1.1 200 OK\r\n"
  private static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
  private static let hello = Data("hello".utf8)
  private static let part =
    "HTTP/1.1 206 Part\r\nContent-Range: bytes 0-4/10\r\nContent-Length: 5\r\n\r\nhello"
  private static let bad = Expectation.error("invalidResponse")

  /// Lengths that are not true, or no lengths.
  static let lengths: [WireFault] = [
    WireFault("truncated body", ok + "Content-Length: 400\r\n\r\nhello", .error("connection")),
    WireFault(
      "over-long body",
      ok + "Content-Length: 5\r\n\r\nhello, and much more",
      .value(hello),
      then: .goesOn
    ),
    WireFault(
      "over-long body, closed",
      ok + "Content-Length: 5\r\n\r\nhello, and much more",
      .value(hello)
    ),
    WireFault("no length", ok + "\r\nhello", .value(hello)),
    WireFault("length that is no number", ok + "Content-Length: two\r\n\r\nhello", bad),
    WireFault("negative length", ok + "Content-Length: -5\r\n\r\nhello", bad),
    WireFault(
      "length beyond 64 bits",
      ok + "Content-Length: 99999999999999999999999\r\n\r\nhello",
      .error("invalidResponse", "connection", "limitExceeded")
    ),
    WireFault("two lengths", ok + "Content-Length: 5\r\nContent-Length: 4\r\n\r\nhello", bad),
    WireFault("two lengths in a list", ok + "Content-Length: 5, 4\r\n\r\nhello", bad),
    WireFault(
      "the same length twice",
      ok + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
      .value(hello, orError: "invalidResponse")
    ),
    WireFault(
      "length beside chunks",
      ok + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      .value(hello, orError: "invalidResponse"),
      then: .goesOn
    ),
    WireFault(
      "204 with a body",
      "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello",
      .value(Data(), orError: "status"),
      then: .goesOn
    ),
    WireFault(
      "304 that nobody asked for",
      "HTTP/1.1 304 Not Modified\r\n\r\n",
      .value(Data(), orError: "status", "invalidResponse")
    ),
    WireFault("206 that nobody asked for", part, .value(hello)).only(.send),
    WireFault("206 for a whole resource", part, bad).only(.resource, .file, .batch, .temporary),
  ]

  /// Chunks that are none.
  static let chunks: [WireFault] = [
    WireFault("chunks without an end", chunked + "5\r\nhello\r\n", .error("connection")),
    WireFault("chunk cut off", chunked + "50\r\nhello", .error("connection")),
    WireFault("chunk size that is no number", chunked + "zz\r\nhello\r\n0\r\n\r\n", bad),
    WireFault("chunk size that is empty", chunked + "\r\nhello\r\n0\r\n\r\n", bad),
    WireFault("negative chunk size", chunked + "-5\r\nhello\r\n0\r\n\r\n", bad),
    WireFault(
      "chunk size beyond 64 bits",
      chunked + "FFFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n",
      .error("invalidResponse", "connection")
    ),
    WireFault("chunk size too small", chunked + "3\r\nhello\r\n0\r\n\r\n", bad),
    WireFault(
      "chunk size too large",
      chunked + "9\r\nhello\r\n0\r\n\r\n",
      .error("invalidResponse", "connection")
    ),
    WireFault(
      "chunk extension without an end",
      .error("invalidResponse", "limitExceeded", "timedOut", "connection")
    ) { connection, _ in
      connection.write(chunked + "5;")
      let more = Data(repeating: UInt8(ascii: "x"), count: 65_536)
      for _ in 0..<256 { guard connection.write(more) else { break } }
      return .ends
    }
    .slow,
    WireFault(
      "trailers without an end",
      .error("invalidResponse", "limitExceeded", "connection")
    ) { connection, _ in
      connection.write(chunked + "5\r\nhello\r\n0\r\n")
      let more = String(repeating: "X: 1\r\n", count: 10_000)
      for _ in 0..<256 { guard connection.write(more) else { break } }
      return .ends
    },
    WireFault(
      "unknown transfer encoding",
      ok + "Transfer-Encoding: rot13\r\n\r\nuryyb",
      .value(Data("uryyb".utf8))
    ),
  ]
}
#endif
