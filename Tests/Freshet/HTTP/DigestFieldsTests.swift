import Foundation
import Testing

@testable import Freshet

/// RFC 9530's fields.
@Suite struct DigestFieldsTests {
  /// The RFC's own example: `{"hello": "world"}` and a line feed.
  static let sha256 = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg="
  static let sha512 =
    "YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg=="
  static let body = Data("{\"hello\": \"world\"}\n".utf8)

  private func algorithms(_ headers: HTTPHeaders, _ status: HTTPStatus = 200) -> [String] {
    DigestFields(whole: Fixture.head(status, headers)).expectations
      .map { $0.algorithm == .sha256 ? "sha-256" : "sha-512" }
      .sorted()
  }

  @Test func `meets the RFC's examples`() {
    let fields = DigestFields(
      whole: Fixture.head(
        200,
        [
          "Repr-Digest": "sha-256=:\(Self.sha256):",
          "Content-Digest": "sha-512=:\(Self.sha512):",
        ]
      )
    )

    let mismatch = fields.mismatch { ChecksumHasher.digest($0, of: Self.body) }

    #expect(fields.expectations.count == 2 && fields.needsSHA512)
    #expect(mismatch == nil)
    #expect(fields.mismatch { $0 == .sha256 ? Data(count: 32) : nil } != nil)
  }

  @Test func `a digest that both fields have is compared once`() {
    let digest = "sha-256=:\(Self.sha256):"

    #expect(algorithms(["Repr-Digest": digest, "Content-Digest": digest]) == ["sha-256"])
  }

  @Test(arguments: [
    ("sha-256=:\(sha256):", ["sha-256"]),
    ("sha-256=:\(sha256):, sha-512=:\(sha512):", ["sha-256", "sha-512"]),
    (" sha-256=:\(sha256):;a=1;b , md5=:AAAA:", ["sha-256"]),
    ("sha-256=:\(sha256.dropLast()):", ["sha-256"]),
    ("sha-256=:AAAA:", []), ("sha-256=\(sha256)", []), ("sha-256=\"\(sha256)\"", []),
    ("sha-256=:\(sha256)", []), ("SHA-256=:\(sha256):", []), ("sha-256=:\(sha256):x", []),
    ("sha-256=:\(sha256):, sha-512=:***:", []), ("sha-256=:\(sha256):,", []), ("", []),
    ("sha-256=5, sha-256=:\(sha256):", ["sha-256"]), ("sha-256=:\(sha256):, sha-256=5", []),
    ("other, sha-256=:\(sha256):", ["sha-256"]),
  ])
  func `9651: a malformed field is ignored as a whole`(value: String, found: [String]) {
    #expect(algorithms(["Repr-Digest": value]) == found)
  }

  @Test func `several lines are one dictionary`() {
    let headers: HTTPHeaders = [
      "Repr-Digest": "sha-256=:\(Self.sha256):", "repr-digest": "sha-512=:\(Self.sha512):",
    ]

    #expect(algorithms(headers) == ["sha-256", "sha-512"])
  }

  @Test func `an encoded body has no digest to compare`() {
    let digest = "sha-256=:\(Self.sha256):"

    #expect(algorithms(["Repr-Digest": digest, .contentEncoding: "gzip"]).isEmpty)
    #expect(algorithms(["Repr-Digest": digest, .contentEncoding: "identity"]) == ["sha-256"])
  }

  @Test func `a part's Content-Digest applies to the part`() {
    let head = Fixture.head(
      206,
      ["Content-Digest": "sha-256=:\(Self.sha256):", "Repr-Digest": "sha-512=:\(Self.sha512):"]
    )

    #expect(DigestFields(whole: head).expectations.map(\.algorithm) == [.sha512])
    #expect(DigestFields(part: head).expectations.map(\.algorithm) == [.sha256])
  }
}
