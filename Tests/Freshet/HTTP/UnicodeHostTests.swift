import Foundation
import Testing

@testable import Freshet

/// Hosts in Unicode, which FoundationEssentials alone does not convert.
@Suite struct UnicodeHostTests {
  #if !canImport(Darwin)
  @Test(arguments: [
    ("https://exämple.org/ä?ö", "https://xn--exmple-cua.org/ä?ö"),
    ("https://EXÄMPLE.org:8080/", "https://xn--exmple-cua.org:8080/"),
    ("https://exa\u{308}mple.org", "https://xn--exmple-cua.org"),
    ("https://faß.de/", "https://xn--fa-hia.de/"),
    ("//例え.テスト/a", "//xn--r8jz45g.xn--zckzah/a"),
    ("https://نامه\u{200C}ای.com", "https://xn--mgba3gch31f060k.com"),
    ("https://a.org/ä", "https://a.org/ä"), ("/ä", "/ä"), ("ä", "ä"),
  ])
  func `a host in Unicode becomes ASCII, and nothing else of the URL changes`(
    text: String,
    converted: String
  ) {
    #expect(HostName.withASCIIHost(text) == converted)
  }
  #endif

  @Test(arguments: [
    "https://a.org\u{FF20}b.org/", "https://b.org\u{FF0F}.a.org/", "https://b.c\u{2100}.a.org/",
    "https://a.org\u{FF1A}80.b.org/",
  ])
  func `a host does not end at a character that is mapped to a delimiter`(text: String) {
    #expect(HostName.withASCIIHost(text) == text)
  }

  @Test(arguments: ["/sign-in?to=https://faß.de/", "sign-in#https://faß.de", "x:https://faß.de/"])
  func `a URL in a query or fragment is no host`(text: String) {
    #expect(HostName.withASCIIHost(text) == text)
  }

  @Test func `a request and a redirect name the host in ASCII`() throws {
    let request = try Request("https://exämple.org/")
    let head = ResponseHead(status: 302, headers: [.location: "//faß.de/x"], url: request.url)
    let decision = request.redirects.decision(for: request, head: head, visited: [])

    #expect(request.url.absoluteString == "https://xn--exmple-cua.org/")
    guard case .follow(let next, _) = decision else {
      Issue.record("the redirect is not followed: \(decision)")
      return
    }
    #expect(next.url.absoluteString == "https://xn--fa-hia.de/x")
  }

  @Test(arguments: ["µ.org", "ŉ.org", "\u{37E}.org", "ϐ.org", "\u{FB13}.org", "\u{2000}.org"])
  func `a symbol of a letter, a ligature and a copy of a sign are ambiguous`(host: String) {
    #expect(HostName.ambiguity(in: host[...]) != nil)
  }

  @Test(arguments: ["ß.de", "ÉTÉ.fr", "e\u{301}.fr", "\u{958}.in", "İ.tr", "ς.gr", "例え.jp"])
  func `letters of their own, in either case, are not ambiguous`(host: String) {
    #expect(HostName.ambiguity(in: host[...]) == nil)
  }
}
