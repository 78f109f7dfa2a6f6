import Foundation
import Testing

@testable import Freshet

/// The examples of RFC 7616 and its predecessors, and what follows from the formulas beside them.
struct DigestAnswerTests {
  /// A challenge, an answer, and the response that others compute for them.
  struct Example: Sendable {
    var realm = "http-auth@example.org"
    var nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    var algorithm: String?
    var qop: String?
    var charset: String?
    var user = "Mufasa"
    var password = "Circle of Life"
    var clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    var method = HTTPMethod.get
    var target = "/dir/index.html"
    var body = Data()
    var response = ""

    var challenge: DigestChallenge? {
      var parameters = ["realm": realm, "nonce": nonce, "opaque": "o\"p"]
      parameters["algorithm"] = algorithm
      parameters["qop"] = qop
      parameters["charset"] = charset
      return DigestChallenge(Challenge(scheme: "Digest", parameters: parameters))
    }

    static let rfc2617 = Example(
      realm: "testrealm@host.com",
      nonce: "dcd98b7102dd2f0e8b11d0f600bfb0c093",
      qop: "auth",
      password: "Circle Of Life",
      clientNonce: "0a4f113b",
      response: "6629fae49393a05397450978507c4ef1"
    )

    static let all: [Example] = [
      // RFC 7616 section 3.9.1
      Example(algorithm: "MD5", qop: "auth", response: "8ca523f5e9506fed4657c9700eebdbec"),
      Example(
        algorithm: "SHA-256",
        qop: "auth, auth-int",
        response: "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
      ),
      // RFC 2617 section 3.5
      rfc2617,
      // RFC 2069, without qop
      Example(
        realm: rfc2617.realm,
        nonce: rfc2617.nonce,
        password: rfc2617.password,
        response: "670fd8c2df070c60b045671b8b24ff02"
      ),
      // Computed by Python's hashlib.
      Example(algorithm: "md5-sess", qop: "auth", response: "e783283f46242139c486a698fec7211d"),
      Example(
        algorithm: "SHA-256-sess",
        qop: "auth",
        response: "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"
      ),
      Example(
        algorithm: "SHA-256",
        qop: "auth-int",
        method: .post,
        body: Data("hello".utf8),
        response: "c98b95dbdb463c4483e324bced57d591946a6f84098142757b1333c52c47d62e"
      ),
      Example(qop: "auth-int", response: "8804a53d3640a40a4f73cea12c5ba451"),
    ]

    #if !canImport(CryptoKit)
    /// RFC 7616 section 3.9.2, with the hashes of SHA-512/256, which the text's own are not (erratum
    /// 4897).
    static let truncated = Example(
      realm: "api@example.org",
      nonce: "5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK",
      algorithm: "SHA-512-256",
      qop: "auth",
      charset: "UTF-8",
      user: "J\u{e4}s\u{f8}n Doe",
      password: "Secret, or not?",
      clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm",
      target: "/doe.json",
      response: "7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c"
    )
    #endif
  }

  private func parameters(_ example: Example, count: Int = 1) async throws -> [String: String] {
    let challenge = try #require(example.challenge)
    let answer = DigestAnswer(
      challenge: challenge,
      user: example.user,
      password: example.password,
      count: count,
      session: DigestSession(nonce: example.nonce, clientNonce: example.clientNonce)
    )
    let url = try #require(URL(string: "http://a.test"))
    let request = Request(example.method, url, body: .bytes(example.body))
    let hash = try await request.bodyHash(challenge.algorithm)
    let field = answer.field(example.method, example.target, bodyHash: hash)
    let read = Challenge.all(in: ["Authorization": field], of: "Authorization")
    #expect(read.map(\.scheme) == ["digest"])
    return read.first?.parameters ?? [:]
  }

  @Test(arguments: Example.all)
  func `computes the response of the standard's examples`(example: Example) async throws {
    let parameters = try await parameters(example)

    #expect(parameters["response"] == example.response)
    #expect(parameters["username"] == example.user)
    #expect(parameters["uri"] == example.target)
    #expect(parameters["nonce"] == example.nonce)
    #expect(parameters["opaque"] == "o\"p")
    #expect(parameters["algorithm"] == example.algorithm)
    #expect(parameters["nc"] == (example.qop == nil ? nil : "00000001"))
    #expect(parameters["cnonce"] == (example.qop == nil ? nil : example.clientNonce))
    #expect(!parameters.values.contains { $0.contains(example.password) })
  }

  @Test func `the body of an upgrade is empty`() async throws {
    let url = try #require(URL(string: "ws://a.test"))
    var request = Request(.get, url)
    request.messageBytes = 1
    request.body = .stream(isReplayable: true) {
      AsyncThrowingStream { $0.finish(throwing: FreshetError.noValue) }
    }

    let hash = try await request.bodyHash(.md5)

    #expect(hash == "d41d8cd98f00b204e9800998ecf8427e")
  }

  #if !canImport(CryptoKit)
  @Test func `encodes a user that is not ASCII, and computes SHA-512-256`() async throws {
    let parameters = try await parameters(.truncated)

    #expect(parameters["response"] == Example.truncated.response)
    #expect(parameters["username*"] == "UTF-8''J%C3%A4s%C3%B8n%20Doe")
    #expect(parameters["username"] == nil)
  }

  @Test func `hashes the user on the server's request`() throws {
    let example = Example.truncated
    let challenge = Challenge(
      scheme: "digest",
      parameters: [
        "realm": example.realm, "nonce": "n", "algorithm": "SHA-512-256", "userhash": "true",
        "qop": "auth",
      ]
    )
    let answer = DigestAnswer(
      challenge: try #require(DigestChallenge(challenge)),
      user: example.user,
      password: "p",
      count: 1,
      session: DigestSession(nonce: "n", clientNonce: "c")
    )

    let hash = "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b"
    #expect(answer.field(.get, "/").hasPrefix("Digest username=\"\(hash)\""))
    #expect(answer.field(.get, "/").hasSuffix("userhash=true"))
  }
  #endif

  @Test func `quotes a user that is not ASCII for a server that names no charset`() async throws {
    var example = Example.rfc2617
    example.user = "j\u{f6}rg"

    let parameters = try await parameters(example)

    #expect(parameters["username"] == "j\u{f6}rg")
    #expect(parameters["username*"] == nil)
  }

  @Test func `counts in eight digits of hexadecimal`() async throws {
    #expect(try await parameters(.rfc2617, count: 0xAB)["nc"] == "000000ab")
  }

  @Test func `a line end in a user's name does not end a field`() async throws {
    var example = Example.rfc2617
    example.user = "a\r\nX-Evil: 1"

    let parameters = try await parameters(example)

    #expect(parameters["username*"] == "UTF-8''a%0D%0AX-Evil%3A%201")
  }

  @Test(arguments: [
    ["realm": "r", "nonce": "n", "algorithm": "SHA-1"],
    ["realm": "r", "nonce": "n", "qop": "auth-conf"],
    ["realm": "r", "nonce": "n", "qop": ""],
    ["realm": "r", "nonce": "n", "algorithm": "MD5-sess"],
    ["realm": "r"],
    ["nonce": "n"],
  ])
  func `does not answer a challenge with unknown requirements`(parameters: [String: String]) {
    #expect(DigestChallenge(Challenge(scheme: "digest", parameters: parameters)) == nil)
  }
}
