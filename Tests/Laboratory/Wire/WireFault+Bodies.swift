#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import TestSupport

extension WireFault {
  private static let hello = Data("hello".utf8)

  /// Encoded bodies that cannot be decoded, or should not be.
  static let encodings: [WireFault] =
    encoded("gzip", Gzip.stored(Wire.text), corruptAt: 200, bomb: Wire.gzipBomb)
    + encoded("br", Wire.brotli, corruptAt: 10, bomb: Wire.brotliBomb)
    + encoded("zstd", Zstandard.text, corruptAt: nil, bomb: Zstandard.bomb) + [
      encodedOnce(
        "zstd with a block of no type",
        "zstd",
        Zstandard.corrupt,
        .error("invalidResponse")
      ),
      encodedOnce("gzip that is none", "gzip", Wire.text, .error("invalidResponse")),
      encodedOnce("br that is none", "br", Wire.text, .error("invalidResponse")),
      encodedOnce("zstd that is none", "zstd", Wire.text, .error("invalidResponse")),
      encodedOnce(
        "an unknown encoding",
        "rot13",
        Wire.text,
        .value(Wire.text)
      ),
      encodedOnce("two encodings", "br, gzip", Gzip.stored(Wire.brotli), .value(Wire.text)),
      encodedOnce("two encodings, a bomb", "gzip, gzip", Wire.nestedBomb, .error("limitExceeded"))
        .slow,
      encodedOnce(
        "two encodings, with nothing inside",
        "gzip, gzip",
        Wire.emptyMembers,
        .error("limitExceeded")
      )
      .slow,
      encodedOnce(
        "three encodings",
        "gzip, gzip, gzip",
        Gzip.stored(Wire.emptyMembers),
        .error("invalidResponse")
      ),
      encodedOnce(
        "four encodings",
        "gzip, gzip, deflate, gzip",
        Gzip.stored(Wire.emptyMembers),
        .error("invalidResponse")
      ),
      encodedOnce(
        "five encodings",
        "gzip, gzip, gzip, gzip, gzip",
        Gzip.stored(Wire.emptyMembers),
        .error("invalidResponse")
      ),
      encodedOnce(
        "nine encodings at once",
        "gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip",
        Gzip.stored(Wire.text),
        .error("invalidResponse")
      ),
      WireFault(
        "a transfer coding that is a bomb",
        Wire.head(["Transfer-Encoding: gzip", "Connection: close"]) + Wire.gzipBomb,
        .error("limitExceeded", "invalidResponse")
      )
      .slow,
      encodedOnce("gzip of nothing", "gzip", Data(), .value(Data(), orError: "invalidResponse")),
    ]

  private static func encoded(
    _ coding: String,
    _ good: Data,
    corruptAt position: Int?,
    bomb: Data
  ) -> [WireFault] {
    var faults = [
      encodedOnce("\(coding), sound", coding, good, .value(Wire.text)),
      // What was announced has come, and yet it is not whole.
      encodedOnce(
        "\(coding), truncated",
        coding,
        good.prefix(good.count * 2 / 3),
        .error("invalidResponse", "connection")
      ),
      encodedOnce(
        "\(coding), without its last byte",
        coding,
        good.dropLast(),
        .error("invalidResponse", "connection")
      ),
      WireFault(
        "\(coding), cut off",
        Wire.response(good, fields: ["Content-Encoding: \(coding)"]).dropLast(good.count / 3),
        .error("connection", "invalidResponse")
      ),
      encodedOnce(
        "\(coding), followed by noise",
        coding,
        good + Data("noise".utf8),
        .value(Wire.text, orError: "invalidResponse")
      ),
      encodedOnce("\(coding), a bomb", coding, bomb, .error("limitExceeded")).slow,
    ]
    if let position {
      var corrupt = good
      corrupt[corrupt.startIndex + position] ^= 0x55
      let fault = encodedOnce("\(coding), corrupt", coding, corrupt, .error("invalidResponse"))
      faults.append(fault)
    }
    return faults
  }

  private static func encodedOnce(
    _ name: String,
    _ coding: String,
    _ bytes: Data,
    _ expectation: Expectation
  ) -> WireFault {
    WireFault(
      name,
      Wire.response(bytes, fields: ["Content-Encoding: \(coding)"]),
      expectation,
      then: .goesOn
    )
  }

  /// Responses that come one too many, too early or too late.
  static let sequences: [WireFault] = [
    WireFault(
      "interim responses first",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Wait\r\nX: 1\r\n\r\nHTTP/1.1 103 Hints\r\n"
        + "Link: <a>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      .value(hello),
      then: .goesOn
    ),
    WireFault("interim responses without an end", .error("limitExceeded")) { connection, _ in
      while connection.write("HTTP/1.1 102 Wait\r\nX: 1\r\n\r\n") {}
      return .ends
    },
    WireFault(
      "an interim response and no more",
      "HTTP/1.1 100 Continue\r\n\r\n",
      .error("connection")
    ),
    WireFault(
      "two responses for one request",
      Wire.response(hello) + Wire.response(Data("evil".utf8)),
      .value(hello),
      then: .goesOn
    ),
    WireFault("a late second response", .value(hello)) { connection, _ in
      connection.write(Wire.response(hello))
      breathe(3)
      connection.write(Wire.response(Data("evil".utf8), status: "408 Request Timeout"))
      return .goesOn
    },
    WireFault(
      "closed when it is used again",
      Wire.response(hello),
      .value(hello),
      then: .endsWhenUsedAgain
    ),
    WireFault(
      "half-closed when it is used again",
      Wire.response(hello),
      .value(hello),
      then: .halfClosesWhenUsedAgain
    ),
    WireFault("closed after its answer", Wire.response(hello), .value(hello)),
    WireFault(
      "half-closed after its answer",
      Wire.response(hello),
      .value(hello),
      then: .halfCloses
    ),
    WireFault("reset after its answer", .value(hello, orError: "connection")) { connection, _ in
      connection.write(Wire.response(hello))
      breathe()
      return .resets
    },
    WireFault(
      "a redirect to itself",
      Wire.head(["Location: ?", "Content-Length: 0"], status: "302 Found"),
      .error("redirect"),
      then: .goesOn
    ),
    WireFault(
      "a redirect to a file",
      Wire.head(["Location: file:///etc/passwd", "Content-Length: 0"], status: "302 Found"),
      .error("redirect"),
      then: .goesOn
    ),
    WireFault(
      "a redirect to nowhere",
      Wire.head(["Location: http://127.0.0.1:1/", "Content-Length: 0"], status: "302 Found"),
      .error("connection"),
      then: .goesOn
    ),
    WireFault(
      "a redirect without a place",
      Wire.head(["Content-Length: 0"], status: "302 Found"),
      .value(Data(), orError: "redirect", "status"),
      then: .goesOn
    ),
    WireFault(
      "a redirect to no URL",
      Wire.head(["Location: http://[::", "Content-Length: 0"], status: "302 Found"),
      .error("redirect", "status"),
      then: .goesOn
    ),
  ]

  /// Requests with bodies that the server does not want to read.
  static let uploads: [WireFault] = [
    upload("refused at once and closed", aftermath: .ends),
    upload("refused at once and reset", aftermath: .resets),
    upload("refused at once and kept", aftermath: .goesOn).slow,
    upload("answered at once and never read", answer: Wire.response(hello), aftermath: .sleeps)
      .slow,
    upload("never read nor answered", answer: Data(), aftermath: .sleeps).slow,
    upload("cut off unread", answer: Data(), aftermath: .resets),
  ]

  private static func upload(
    _ name: String,
    answer: Data = Wire.response(Data("no".utf8), status: "413 Too Large"),
    aftermath: Aftermath
  ) -> WireFault {
    let expectation = Expectation(
      values: [hello, Data("no".utf8)],
      kinds: ["status", "connection", "timedOut"]
    )
    return WireFault("upload \(name)", expectation) { connection, _ in
      connection.write(answer)
      if aftermath == .goesOn {
        // It reads on, so that the next request is found.
        _ = connection.read(4 << 20)
      }
      return aftermath
    }
    .only(.send)
    .asked { request in
      request.method = .post
      request.body = .bytes(Data(count: 4 << 20))
    }
  }
}
#endif
