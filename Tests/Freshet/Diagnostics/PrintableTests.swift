import Foundation
import FreshetTesting
import Testing

@testable import Freshet

@Suite struct PrintableTests {
  /// What would end a line, move a cursor or turn the writing, and what is shown of it.
  static let escapes = [
    ("\r", "\\r"), ("\n", "\\n"), ("\t", "\\t"), ("\u{1B}", "\\u{1B}"), ("\0", "\\u{0}"),
    ("\u{7F}", "\\u{7F}"), ("\u{85}", "\\u{85}"), ("\u{9B}", "\\u{9B}"), ("\u{2028}", "\\u{2028}"),
    ("\u{2029}", "\\u{2029}"), ("\u{202E}", "\\u{202E}"), ("\u{200B}", "\\u{200B}"),
    ("\u{2066}", "\\u{2066}"), ("\u{FEFF}", "\\u{FEFF}"), ("\u{E0041}", "\\u{E0041}"),
    ("\r\n", "\\r\\n"),
  ]

  private static let all = escapes.map(\.0).joined(separator: "x")

  private func expectPlain(_ text: String, _ comment: Comment? = nil) {
    let isPlain = text.unicodeScalars.allSatisfy { scalar in
      Self.escapes.allSatisfy { !$0.0.unicodeScalars.contains(scalar) }
    }
    #expect(isPlain, comment ?? "\(text.debugDescription)")
  }

  @Test(arguments: escapes)
  func `escapes invisible characters`(text: String, shown: String) {
    #expect(Printable.line("a\(text)b\(text)") == "a\(shown)b\(shown)")
  }

  @Test(arguments: ["", "plain", "“déjà vu”", "日本", "a\u{301}", "👍🏽", "\u{FFFD}", "c:\\x"])
  func `keeps visible characters`(text: String) {
    #expect(Printable.line(text) == text)
  }

  @Test(arguments: [
    all, "https://a.test/\(all)", "https://a\(all).test/", "\(all)://a.test/", "//u:p@\(all)",
    "https://u\(all):p@a.test/", "https://a.test:\(all)/", "\(all)//@",
  ])
  func `the failure of a request made of text is one plain line`(text: String) throws {
    let error = try #require(throws: FreshetError.self) { try Request(text) }

    expectPlain(error.description)
    guard case .invalidRequest(let reason, let url) = error else {
      Issue.record("\(error.kind)")
      return
    }
    expectPlain(reason)
    expectPlain(url)
  }

  @Test func `every error, decision and diagnostic is one plain line`() throws {
    let text = Self.all
    let url = "https://a.test/\(text)"
    let head = ResponseHead(status: 404, headers: ["X": text], url: URL(filePath: "/\(text)"))
    let failure = DecodingFailure(target: text, keyPath: text, reason: text, excerpt: text)
    let errors: [FreshetError] = [
      .invalidRequest(text, url: url), .connection(.other(text), url: url),
      .insecure(text, url: url), .unauthenticated(text, url: url), .timedOut(.idle, url: url),
      .invalidResponse(text, url: url), .limitExceeded(.headerCount(1), url: url),
      .redirect(text, head: head), .status(head, body: Data(text.utf8)),
      .decoding(failure, head: head, body: Data()),
      .corrupted(expected: text, actual: text, url: url), .notStored(url: url),
      .file(text, path: text), .store(text),
    ]
    let decisions: [Decision] = [
      .redirected(to: url), .restarted(because: text),
      .retried(attempt: 1, after: .zero, because: text), .notStored(.disk, because: text),
      .servedStale(because: text, kind: text), .downloaded(bytes: 1, .init(networkProtocol: text)),
    ]
    let occurrences: [Diagnostic.Occurrence] = [
      .redirected(to: text), .retrying(attempt: 1, after: .zero, because: text),
      .failed(kind: text, text),
    ]
    let routes: [RouteError] = [
      .unmatched(method: HTTPMethod(text), url: url), .ambiguous(patterns: [text], url: url),
      .mismatch(asked: text, found: text, pattern: text), .failed(.store(text)),
    ]

    for error in errors {
      expectPlain(error.description)
      expectPlain(error.localizedDescription)
    }
    for decision in decisions { expectPlain(decision.description) }
    for occurrence in occurrences { expectPlain(occurrence.description) }
    for error in routes { expectPlain(error.description) }
    expectPlain(failure.description)
    expectPlain(DiskStore.Diagnostic.entryDropped(url: text, reason: text).description)
    expectPlain(Router.InvalidRoute(pattern: text, reason: text).description)
    expectPlain(RequestPath(raw: "a\(text)").description)
    expectPlain(Request(HTTPMethod(text), URL(filePath: "/x")).description)
    expectPlain(HTTPHeaders.Field(name: "X", value: text).description)
  }

  @Test func `a Location's text does not reach the failure raw`() throws {
    let request = try Request("http://a.test/")
    var failures = 0
    for location in ["\(Self.all)://x", "http://\(Self.all)/", "http://u\(Self.all)@b.test/"] {
      let head = ResponseHead(status: 302, headers: [.location: location], url: request.url)

      if case .fail(let error) = request.redirects.decision(for: request, head: head, visited: []) {
        expectPlain(error.description)
        failures += 1
      }
    }
    #expect(failures > 0)
  }
}
