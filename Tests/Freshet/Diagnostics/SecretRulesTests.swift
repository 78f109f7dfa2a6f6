import Foundation
import Testing

@testable import Freshet

@Suite struct SecretRulesTests {
  @Test(arguments: [
    (#"{"token":"a"}"#, #"{"token":"<redacted>"}"#),
    (#"{"Access-Token" : 17, "b":1}"#, #"{"Access-Token" : 0, "b":1}"#),
    (
      #"[{"password":{"a":["}"]},"b":"token"}]"#,
      #"[{"password":{"a":["<redacted>"]},"b":"token"}]"#
    ),
    (#"{"secret":[1,{"x":-2.5e3}]}"#, #"{"secret":[0,{"x":0}]}"#),
    (#"{"secret":null,"auth":true}"#, #"{"secret":null,"auth":true}"#),
    (#"{"token":{"k3y":1,"id":"a"}}"#, #"{"token":{"<redacted>":0,"id":"<redacted>"}}"#),
    (
      #"{"name":"token","value":{"a":[1,"b"]},"on":true}"#,
      #"{"name":"token","value":{"a":[0,"<redacted>"]},"on":true}"#
    ),
    (#"["token",{"a":"b"}]"#, #"["token",{"a":"<redacted>"}]"#),
    (#"{"a":"\"token\":\"x"}"#, #"{"a":"\"token\":<redacted>"}"#),
    (#"{"\u0074oken":"a"}"#, #"{"\u0074oken":"<redacted>"}"#),
    (#"{"tokens":1, "key":2, "code":3}"#, #"{"tokens":1, "key":2, "code":3}"#),
    (#"{"prompt_tokens":17,"tokens":"a"}"#, #"{"prompt_tokens":17,"tokens":"<redacted>"}"#),
    (#"{"newPassword":"a","pwd":"b"}"#, #"{"newPassword":"<redacted>","pwd":"<redacted>"}"#),
    (#"{"authorization":"a"}"#, #"{"authorization":"<redacted>"}"#),
    (#"{"pass":1234,"userPass":5}"#, #"{"pass":0,"userPass":0}"#),
    (#"{"credential":{"a":1}}"#, #"{"credential":{"a":0}}"#),
    ("  {\"token\"\n:\n\"a\" }", "  {\"token\"\n:\n\"<redacted>\" }"),
  ])
  func `hides members of JSON and touches nothing else`(text: String, redacted: String) {
    #expect(SecretRules.standard.redacted(body: text, contentType: nil) == redacted)
    #expect(SecretRules.none.redacted(body: text, contentType: nil) == text)
  }

  @Test(arguments: [
    ("http://a/?x=1&api_key=s&y#f", "http://a/?x=1&api_key=redacted&y#f"),
    ("http://a/?user%5Bpassword%5D=s&a[b]=c", "http://a/?user%5Bpassword%5D=redacted&a[b]=c"),
    (
      "/?oauth_token_secret=s&oauth_signature=t",
      "/?oauth_token_secret=redacted&oauth_signature=redacted"
    ),
    ("/?max_tokens=5", "/?max_tokens=5"),
    ("http://a/?KEY=s", "http://a/?KEY=redacted"),
    ("http://a/?access%5Ftoken=s=t", "http://a/?access%5Ftoken=redacted"),
    ("http://a/token=s", "http://a/token=s"),
    ("http://a/#access_token=s&x=1", "http://a/#access_token=redacted&x=1"),
    ("http://a/?token=s&x#token=s", "http://a/?token=redacted&x#token=redacted"),
    ("http://a/?", "http://a/?"),
    ("http://a/", "http://a/"),
    ("/next?token=s", "/next?token=redacted"),
    ("/?pass=20201231&db_pass=1", "/?pass=redacted&db_pass=redacted"),
    ("http://ann:hunter2@a/x?y", "http://redacted@a/x?y"),
    ("//ann:hunter2@a/x?token=s", "//redacted@a/x?token=redacted"),
    ("http://a/ann:x@b", "http://a/ann:x@b"),
  ])
  func `hides parameters of URLs`(url: String, redacted: String) {
    #expect(SecretRules.standard.redacted(url: url) == redacted)
    #expect(SecretRules.none.redacted(url: url) == url)
  }

  @Test func `hides additional names on request`() {
    var rules = SecretRules.standard
    rules.headers = ["X-Tenant"]
    rules.fields.insert("iban")
    rules.parameters.insert("who")

    #expect(rules.redacted(["X-Tenant": "a", "X-B": "b"])["X-Tenant"] == "<redacted>")
    #expect(rules.redacted(body: #"{"IBAN":1}"#, contentType: nil) == #"{"IBAN":0}"#)
    #expect(rules.redacted(url: "/?who=me&iban=1") == "/?who=redacted&iban=redacted")
  }

  @Test func `redirects carry no secrets to other origins`() {
    let headers: HTTPHeaders = [.location: "/x?code=s&state=1", .eTag: "\"1\""]

    #expect(SecretRules.standard.redacted(headers)[.location] == "/x?code=redacted&state=1")
  }

  @Test func `links carry no secrets to other origins, and stay links`() {
    let link = "<https://a/x?access_token=s&page=2>; rel=next, </y>; rel=first; title=\"a<b\""
    let hidden =
      "<https://a/x?access_token=redacted&page=2>; rel=next, </y>; rel=first; title=\"a<b\""

    #expect(SecretRules.standard.redacted(["Link": link])["Link"] == hidden)
    #expect(SecretRules.none.redacted(["Link": link])["Link"] == link)
  }

  @Test(arguments: [
    "X-Auth-Key", "X-Session-Id", "X-JWT-Assertion", "Proxy-Authorization", "X-Functions-Key",
    "Ocp-Apim-Subscription-Key",
  ])
  func `fields of credentials are hidden and do not cross origins`(name: String) throws {
    let name = HTTPHeaders.Name(name)

    #expect(SecretRules.standard.redacted([name: "s"])[name] == Redaction.placeholder)
    #expect(RedirectPolicy.follow.withoutSecrets([name: "s"]).isEmpty)
  }

  @Test func `shows chosen names that look like secrets`() {
    var rules = SecretRules.standard
    rules.exceptions = ["Session-Count", "token"]

    #expect(rules.redacted(["Session-Count": "3"])["Session-Count"] == "3")
    rules.exceptions = ["sessionCount", "token"]
    #expect(rules.redacted(["Session-Count": "3"])["Session-Count"] == "3")
    #expect(
      rules.redacted(body: "token=a&secret=b", contentType: "application/x-www-form-urlencoded")
        == "token=a&secret=redacted"
    )
  }

  @Test(arguments: [
    ("password: hunter2\nname: Ann", "password: <redacted>\nname: Ann"),
    ("<token>hunter2</token>", "<token><redacted></token>"),
    ("sent with Bearer abc.def-123, then", "sent with Bearer <redacted>, then"),
  ])
  func `hides the value after a name in other text, on request`(
    text: String,
    hidden: String
  ) {
    var rules = SecretRules.standard
    rules.unparsedBodies = .shown
    #expect(rules.redacted(body: text, contentType: "text/plain") == hidden)
    #expect(SecretRules.none.redacted(body: text, contentType: "text/plain") == text)
    let withheld = WithheldBody(Data(text.utf8)).description
    #expect(SecretRules.standard.redacted(body: text, contentType: "text/plain") == withheld)
  }
}
