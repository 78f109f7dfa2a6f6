import Foundation
import Freshet
import Testing

@Suite struct DecodingFailureTests {
  private struct Account: Decodable, Sendable {
    enum Kind: String, Decodable, Sendable { case free, paid }
    var user: User
    var password: Int?
    var kind: Kind?
  }

  private func failure(_ text: String) async throws -> DecodingFailure {
    let call = Client(ServiceScript(.json(text))).send(.get("x")).decode([Account].self)
    let error = await #expect(throws: FreshetError.self) { try await call.value }
    guard case .decoding(let failure, _, _) = error else { throw try #require(error) }
    return failure
  }

  @Test(arguments: [
    (#"[{"user":{"id":1}}]"#, "[0].user.name", "it is missing"),
    (#"[{"user":{"id":1,"name":null}}]"#, "[0].user.name", "null"),
    (#"[{"user":{"id":1,"name":7}}]"#, "[0].user.name", "String"),
    (#"[{"user":{"id":1,"name":"x"},"kind":"gold"}]"#, "[0].kind", "gold"),
    (#"{"user":1}"#, "", "rray"),
    (#"[{"user":}]"#, "", "at byte 9: a value is expected"),
    (#"[{"user":{"id":2.5,"name":"x"}}]"#, "[0].user.id", "the number 2.5 does not fit"),
    (#"[{"user":{"id":1e99,"name":"x"}}]"#, "[0].user.id", "the number 1e99 does not fit"),
    (#"[{"user":{"id":2.5,"name":"x"},"a":2.5}]"#, "", "the number 2.5 does not fit"),
  ])
  func `names position and reason`(text: String, keyPath: String, reason: String) async throws {
    let failure = try await failure(text)

    #expect(failure.keyPath == keyPath)
    #expect(failure.reason.contains(reason))
  }

  @Test func `shows an excerpt around the position and not the whole body`() async throws {
    let padding = String(repeating: #"{"user":{"id":1,"name":"x"}},"#, count: 400)
    let failure = try await failure("[\(padding){\"user\":{\"id\":true,\"name\":\"here\"}}]")

    #expect(failure.keyPath == "[400].user.id")
    #expect(failure.excerpt.contains("true") && failure.excerpt.contains("here"))
    #expect(failure.excerpt.utf8.count < 200)
  }

  @Test(arguments: [
    #"[{"access_token":"hunter2","user":{"id":"a"}}]"#,
    #"[{"Authorization" : "Bearer hunter2","user":{"id":"a"}}]"#,
    #"[{"secrets":{"a":["hunter2"]},"user":{"id":"a"}}]"#,
    #"[{"api-key":"with \" hunter2","user":{"id":"a"}}]"#,
    #"[{"pass_word":"hunter2","user":{"id":"a"}}]"#,
    #"[{"user":{"id":"a"},"note":"{\"password\":\"hunter2\"}"}]"#,
    #"[{"user":{"id":"a"},"sessionId":"hunter2"}]"#,
    #"[{"password":"hunter2","user":{"id":1,"name":"x"}}]"#,
    #"[{"password":"hunter2"#,
    "token=hunter2&x=1",
    "Set-Cookie: hunter2; path=/",
    "<token>hunter2</token>",
    "<plist><key>password</key><string>hunter2</string></plist>",
    #"[{"user":{"id":1,"name":"x"},"kind":"https://x/cb?token=hunter2"}]"#,
    "user%5Bpassword%5D=hunter2&x=1",
    "sent with Bearer hunter2-hunter2",
    "it says eyJhbGciOiJIUzI1NiJ9.hunter2.hunter2",
    #"[{"user[newPwd]":"hunter2","user":{"id":"a"}}]"#,
  ])
  func `hides values of secret keys`(text: String) async throws {
    let call = Client(ServiceScript(.json(text))).send(.get("x")).decode([Account].self)

    let error = await #expect(throws: FreshetError.self) { try await call.value }

    #expect(error?.kind == "decoding")
    #expect(error?.description.contains("hunter2") == false)
  }

  @Test(arguments: [
    #"[{"user":{"id":1,"name":"x"},"kind":"no such key: 1234-5678"}]"#,
    #"[{"user":{"id":true,"name":"1234-5678"}}]"#,
    #"[{"user":{"id":12345678.5,"name":"x"}}]"#,
    #"{"1234-5678":1}"#,
    #"{"12345678.5":1}"#,
    #"{"user":{"id":012345678.5}}"#,
  ])
  func `hides secrets of the request that the response repeats`(text: String) async throws {
    let client = Client(ServiceScript(.json(text), .json(text, status: 401)))
    var request = Request.get("x?api_key=1234-5678")
    request.headers["X-Token"] = "12345678.5"

    let error = await #expect(throws: FreshetError.self) {
      try await client.send(request).decode([Account].self).value
    }
    let rejection = await #expect(throws: CallError<[String: User]>.self) {
      try await client.send(request).reject(as: [String: User].self).value
    }

    guard case .rejected(let refusal) = rejection else { throw try #require(rejection) }
    let failure = try #require(refusal.decodingFailure)
    for shown in [error?.description ?? "", failure.description] {
      #expect(!shown.isEmpty && !shown.contains("1234"))
    }
  }

  @Test func `hides secrets of a request's body in elements that are left out`() async throws {
    let script = ServiceScript(.json(#"[{"id":1,"name":{"1234-5678":2}},{"id":12345678}]"#))
    let secrets = try RequestBody.json(["password": "1234-5678", "pin_secret": 12_345_678])
    let request = Request.post("x", body: secrets)

    let call = Client(script).send(request).decode([User].self, as: .lenient())
    let skipped = try await call.value.skipped

    #expect(skipped.map(\.keyPath) == ["[0].name", "[1].name"])
    #expect(skipped.allSatisfy { $0.excerpt.contains("<redacted>") })
    #expect(skipped.allSatisfy { !$0.description.contains("5678") })
  }

  @Test func `hides a secret that is cut by the excerpt`() async throws {
    let secret = String(repeating: "s", count: 400)
    let failure = try await failure(#"[{"token":"\#(secret)","user":{"id":"a"}}]"#)

    #expect(!failure.excerpt.contains("ss"))
  }

  @Test func `marks bytes that are not text and keeps characters complete`() async throws {
    let binary = try await failure("ab\u{0}c")
    #expect(binary.excerpt == "4 bytes that are not text")

    let accents = try await failure(#"["\#(String(repeating: "é", count: 200))"]"#)
    #expect(!accents.excerpt.contains("\u{FFFD}"))
  }

  @Test func `the error's description is one sentence with position and excerpt`() async {
    let call = Client(ServiceScript(.json(#"{"id":"a","name":"x"}"#))).send(.get("x?q=secret"))
      .decode(User.self)

    let error = await #expect(throws: FreshetError.self) { try await call.value }

    let text = error?.description ?? ""
    #expect(text.hasPrefix("The body from https://api.test/v1/x cannot be decoded as User: id: "))
    #expect(!text.contains("secret") && !text.contains("\n"))
  }

  @Test func `no reason is longer than an excerpt`() async throws {
    let long = String(repeating: "x", count: 1 << 20)
    let failure = try await failure(#"[{"user":{"id":1,"name":"x"},"kind":"\#(long)"}]"#)

    #expect(failure.reason.utf8.count < 200)
    #expect(failure.description.utf8.count < 500)
  }

  @Test func `shows only the type of foreign errors`() async throws {
    struct Odd: Error { let secret = "hunter2" }
    let odd = Decoding<Int> { _, _ in throw Odd() }
    let call = Client(ServiceScript(.json("1"))).send(.get("x")).decode(Int.self, as: odd)

    let error = await #expect(throws: FreshetError.self) { try await call.value }

    #expect(error?.description.contains("Odd") == true)
    #expect(error?.description.contains("hunter2") == false)
  }
}
