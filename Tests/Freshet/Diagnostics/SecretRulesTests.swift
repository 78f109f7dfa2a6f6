import Foundation
import Testing

@testable import Freshet

@Suite struct SecretRulesTests {
  @Test(arguments: [
    (#"{"token":"a"}"#, #"{"token":"<redacted>"}"#),
    (#"{"Access-Token" : 17, "b":1}"#, #"{"Access-Token" : "<redacted>", "b":1}"#),
    (#"[{"password":{"a":["}"]},"b":"token"}]"#, #"[{"password":"<redacted>","b":"token"}]"#),
    (#"{"secret":[1,{"x":2}]}"#, #"{"secret":"<redacted>"}"#),
    (#"{"secret":null}"#, #"{"secret":"<redacted>"}"#),
    (#"{"a":"\"token\":\"x"}"#, #"{"a":"\"token\":\"x"}"#),
    (#"{"\u0074oken":"a"}"#, #"{"\u0074oken":"<redacted>"}"#),
    (#"{"token":"cut o"#, #"{"token":"<redacted>""#),
    (#"{"token":"#, #"{"token":"<redacted>""#),
    (#"{"tokens":1, "key":2, "code":3}"#, #"{"tokens":1, "key":2, "code":3}"#),
    ("  {\"token\"\n:\n\"a\" }", "  {\"token\"\n:\n\"<redacted>\" }"),
  ])
  func `hides members of JSON and touches nothing else`(text: String, redacted: String) {
    #expect(SecretRules.standard.redacted(body: text, contentType: nil) == redacted)
    #expect(SecretRules.none.redacted(body: text, contentType: nil) == text)
  }

  @Test(arguments: [
    ("http://a/?x=1&api_key=s&y#f", "http://a/?x=1&api_key=redacted&y#f"),
    ("http://a/?KEY=s", "http://a/?KEY=redacted"),
    ("http://a/?access%5Ftoken=s=t", "http://a/?access%5Ftoken=redacted"),
    ("http://a/token=s", "http://a/token=s"),
    ("http://a/#access_token=s&x=1", "http://a/#access_token=redacted&x=1"),
    ("http://a/?token=s&x#token=s", "http://a/?token=redacted&x#token=redacted"),
    ("http://a/?", "http://a/?"),
    ("http://a/", "http://a/"),
    ("/next?token=s", "/next?token=redacted"),
  ])
  func `hides parameters of URLs`(url: String, redacted: String) {
    #expect(SecretRules.standard.redacted(url: url) == redacted)
  }

  @Test func `hides more names when it is told`() {
    var rules = SecretRules.standard
    rules.headers = ["X-Tenant"]
    rules.fields.insert("iban")
    rules.parameters.insert("who")

    #expect(rules.redacted(["X-Tenant": "a", "X-B": "b"])["X-Tenant"] == "<redacted>")
    #expect(rules.redacted(body: #"{"IBAN":1}"#, contentType: nil) == #"{"IBAN":"<redacted>"}"#)
    #expect(rules.redacted(url: "/?who=me&iban=1") == "/?who=redacted&iban=redacted")
  }

  @Test func `redirects do not carry secrets out`() {
    let headers: HTTPHeaders = [.location: "/x?code=s&state=1", .eTag: "\"1\""]

    #expect(SecretRules.standard.redacted(headers)[.location] == "/x?code=redacted&state=1")
  }
}
