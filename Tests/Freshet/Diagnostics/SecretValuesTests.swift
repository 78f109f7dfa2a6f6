import Foundation
import Testing

@testable import Freshet

@Suite struct SecretValuesTests {
  private func hidden(_ text: String, _ configure: (inout Request) -> Void) throws -> String? {
    let request = try Request(to: "http://a.test/", configure)
    return SecretValues(of: request, answeredWith: nil, by: .standard).hidden(in: text)
  }

  @Test(arguments: [
    ("Bearer s3cret-1", "no s3cret-1!", "no <redacted>!"),
    ("s3cret-1", "s3cret-1s3cret-1", "<redacted><redacted>"),
    ("Token s3cret-é", "é s3cret-é é", "é <redacted> é"),
    ("Bearer abcdefghijklmnopqrst", "abcdefghijklmnopqrst", "<redacted>"),
  ])
  func `hides a credential without its scheme`(
    credential: String,
    text: String,
    shown: String
  ) throws {
    #expect(try hidden(text) { $0.headers[.authorization] = credential } == shown)
  }

  @Test(arguments: ["", "x", "Bearer s3cret1", "Bearer username", "Bearer user-name_of_Ann"])
  func `shows values that are too short, and words`(credential: String) throws {
    let text = "s3cret1 username user-name_of_Ann Bearer"
    #expect(try hidden(text) { $0.headers[.authorization] = credential } == nil)
  }

  @Test func `hides the longer of two values`() throws {
    let shown = try hidden("s3cret-12, s3cret-123") {
      $0.headers = ["X-Token": "s3cret-12", "X-Api-Key": "s3cret-123"]
    }
    #expect(shown == "<redacted>, <redacted>")
  }

  @Test func `hides a part of a long value that begins like it`() throws {
    let secret = (0..<50).map { "\($0)" }.joined()
    let shown = try hidden("no \(secret.prefix(80))!") { $0.headers["X-Token"] = secret }
    #expect(shown == "no <redacted>!")
  }

  @Test(.timeLimit(.minutes(1)))
  func `a value that repeats itself takes linear time`() throws {
    let secret = String(repeating: "1", count: 60_000)
    let shown = try hidden(String(repeating: "1", count: 1 << 20)) {
      $0.headers["X-Token"] = secret + "2"
    }
    #expect(try #require(shown).contains("11") == false)
  }

  @Test func `hides secret members of the JSON of a request`() throws {
    let shown = try hidden("pa/ss-word1, ann.anderson") {
      $0.body = .bytes(
        Data(#"{"user":"ann.anderson","password":"pa\/ss-word1"}"#.utf8),
        contentType: .json
      )
    }
    #expect(shown == "<redacted>, ann.anderson")
  }

  @Test func `hides a number of the JSON of a request, and one that is a secret`() throws {
    let request = try Request(to: "http://a.test/") {
      $0.headers["X-Token"] = "Token 87654321"
      $0.body = .bytes(Data(#"{"otp_secret":12345678}"#.utf8), contentType: .json)
    }

    let rules = request.responseRules(for: nil)
    let body = #"{"a":[12345678,87654321,1234567],"b":"no 12345678"}"#

    let shown = #"{"a":[0,0,1234567],"b":"no <redacted>"}"#
    #expect(rules.redacted(body: body, contentType: nil) == shown)
  }

  @Test func `hides what a redirected or decorated request was sent with`() throws {
    let url = try #require(URL(string: "http://a.test/"))
    var head = ResponseHead(status: 200, headers: [:], url: url)
    head.notes.sent = ["X-Api-Key": "s3cret-1"]
    head.notes.earlier = [.init(name: .authorization, value: "Bearer s3cret-2")]
    let request = try Request(to: "http://a.test/")

    let rules = request.responseRules(for: head)
    let body = #"{"a":["s3cret-1","s3cret-2"]}"#

    #expect(rules.redacted(body: body, contentType: nil) == #"{"a":["<redacted>","<redacted>"]}"#)
    #expect(request.responseRules(.none, for: head) == .none)
  }
}
