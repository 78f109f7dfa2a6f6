import Testing

@testable import Freshet

@Suite struct JoinedCookiesTests {
  @Test(arguments: [
    ("a=1; Path=/, b=2; Path=/x; Secure", ["a=1; Path=/", "b=2; Path=/x; Secure"]),
    (
      "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT,b=2",
      ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2"]
    ),
    ("a=x,y", ["a=x,y"]), ("a=x, =y", ["a=x, =y"]), ("a=1,\tb=", ["a=1", "b="]), ("", [""]),
    ("a=1, cart[id]=7", ["a=1", "cart[id]=7"]),
    (#"a={"x":1,"y":"b=c"}"#, [#"a={"x":1,"y":"b=c"}"#]),
  ])
  func `splits joined cookies, and not dates`(joined: String, cookies: [String]) {
    #expect(JoinedCookies.split(joined) == cookies)
  }

  @Test(.timeLimit(.minutes(5)), arguments: [",", ", ", ",a", ",\t;", ",a=", ",=,"])
  func `reads commas without cookies in linear time`(text: String) {
    let joined = "a=1" + String(repeating: text, count: 1 << 19)

    let cookies = JoinedCookies.split(joined)

    #expect(cookies.count == (text == ",a=" ? 1 << 19 | 1 : 1))
  }
}
