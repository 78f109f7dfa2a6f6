import Freshet
import Testing

/// What a server asks for, read from its fields (RFC 9110 section 11.6.1).
struct ChallengeTests {
  private func challenges(_ lines: [String]) -> [Challenge] {
    Challenge.all(
      in: HTTPHeaders(lines.map { HTTPHeaders.Field(name: "WWW-Authenticate", value: $0) })
    )
  }

  @Test(arguments: [
    (["Basic"], [Challenge(scheme: "basic")]),
    (
      ["BASIC Realm=\"a, b\", charset=\"UTF-8\""],
      [Challenge(scheme: "basic", parameters: ["realm": "a, b", "charset": "UTF-8"])]
    ),
    (
      ["Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\""],
      [
        Challenge(
          scheme: "newauth",
          parameters: ["realm": "apps", "type": "1", "title": "Login to \"apps\""]
        ),
        Challenge(scheme: "basic", parameters: ["realm": "simple"]),
      ]
    ),
    (
      ["Negotiate", "Negotiate YII=, Bearer realm=x", "NTLM TlRM/+a.b~_-=="],
      [
        Challenge(scheme: "negotiate"), Challenge(scheme: "negotiate", token: "YII="),
        Challenge(scheme: "bearer", parameters: ["realm": "x"]),
        Challenge(scheme: "ntlm", token: "TlRM/+a.b~_-=="),
      ]
    ),
    (
      ["Bearer , realm = \"x\" ,, error=invalid_token"],
      [Challenge(scheme: "bearer", parameters: ["realm": "x", "error": "invalid_token"])]
    ),
    (["Basic realm=\"\", realm=\"b\""], [Challenge(scheme: "basic", parameters: ["realm": ""])]),
    (["realm=\"of nothing\"", "", ", ,"], []),
    (["B\u{e9}arer x=y, \"Basic\" realm=z"], []),
    (["Basic realm=\"open"], [Challenge(scheme: "basic", parameters: ["realm": "\"open"])]),
    (["Basic real m=x"], [Challenge(scheme: "basic")]),
  ])
  func `reads every challenge of every line`(lines: [String], expected: [Challenge]) {
    #expect(challenges(lines) == expected)
  }

  @Test func `reads a digest with a list in quotes beside another one`() throws {
    let line =
      "Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", algorithm=SHA-256, "
      + "nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", stale=TRUE, Basic realm=\"b\""

    let all = challenges([line])

    #expect(all.map(\.scheme) == ["digest", "basic"])
    #expect(all.first?.realm == "http-auth@example.org")
    #expect(all.first?.parameters["qop"] == "auth, auth-int")
    #expect(all.first?.parameters["algorithm"] == "SHA-256")
    #expect(all.last?.realm == "b")
  }

  @Test func `reads a proxy's field by its name`() {
    let headers: HTTPHeaders = ["Proxy-Authenticate": "Basic realm=p"]

    #expect(Challenge.all(in: headers).isEmpty)
    #expect(Challenge.all(in: headers, of: "Proxy-Authenticate").map(\.realm) == ["p"])
  }

  @Test func `a description shows scheme and realm only`() {
    let shown = challenges(["Digest realm=\"a\", nonce=\"secret\"", "Negotiate secret"])

    #expect(shown.map(\.description) == ["digest realm=\"a\"", "negotiate"])
  }
}
