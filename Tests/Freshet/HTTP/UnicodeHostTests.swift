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

  @Test(arguments: ["ẞ.de", "ᾀ.gr", "ᲀ.org", "\u{212A}.org"])
  func `a letter that is mapped to others than its lower case is ambiguous`(host: String) {
    #expect(HostName.ambiguity(in: host[...]) != nil)
  }

  @Test(arguments: ["/sign-in?to=https://ｅxample.org/", "a#https://ｅxample.org", "?//ｅxample.org"])
  func `a URL in a query or fragment does not make a reference ambiguous`(text: String) {
    #expect(URLCheck.ambiguity(in: text) == nil)
  }

  #if !canImport(Darwin)
  @Test(.enabled(if: UnicodeHostTests.libraryText("a") != nil, "libidn2 is not installed"))
  func `characters that libidn2 maps to others are ambiguous, and few beside them`() {
    var (missed, refused): ([Unicode.Scalar], [Unicode.Scalar]) = ([], [])
    for value in [0x80...0x33FF, 0xA000...0xABFF, 0xF900...0xFFFF, 0x10000...0x1FFFF].joined() {
      // Those of later versions of Unicode may not be known to both.
      guard let scalar = Unicode.Scalar(UInt32(value)), let age = scalar.properties.age,
        age.major <= 10, scalar.properties.generalCategory != .privateUse
      else { continue }
      // A label is of one direction, and a mark follows a letter.
      let texts = [("a", "b"), ("", ""), ("\u{5D0}", "\u{5D0}"), ("\u{627}", "\u{627}")].lazy
        .map { "\($0)\(scalar)\($1)" }
      let pairs = texts.compactMap { text in Self.libraryText(text).map { (text, $0) } }
      guard let (text, mapped) = pairs.first else { continue }
      let isMapped = mapped.lowercased() != text.lowercased()
      let isAmbiguous = HostName.ambiguity(in: text[...]) != nil
      if isMapped, !isAmbiguous { missed.append(scalar) }
      if !isMapped, isAmbiguous { refused.append(scalar) }
    }

    #expect(missed.isEmpty)
    #expect(Set(refused).isSubset(of: ["\u{37E}", "\u{3F4}", "\u{1E9E}", "\u{1FEF}", "\u{212A}"]))
  }

  private typealias ToUnicode =
    @convention(c) (
      UnsafePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, CInt
    ) -> CInt

  private static let toUnicode: ToUnicode? =
    LoadedFunction.named("idn2_to_unicode_8z8z", in: "libidn2.so.0")

  /// Returns the text of the domain name that libidn2 derives from a text.
  private static func libraryText(_ text: String) -> String? {
    var name: UnsafeMutablePointer<CChar>?
    guard let toUnicode, let ascii = LoadedDomainNames.ascii(text),
      toUnicode(ascii, &name, 0) == 0, let name
    else { return nil }
    defer { free(name) }
    return String(cString: name)
  }
  #endif

  @Test(arguments: ["ß.de", "ÉTÉ.fr", "e\u{301}.fr", "\u{958}.in", "İ.tr", "ς.gr", "例え.jp"])
  func `letters of their own, in either case, are not ambiguous`(host: String) {
    #expect(HostName.ambiguity(in: host[...]) == nil)
  }
}
