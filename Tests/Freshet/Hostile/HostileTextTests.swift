import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

/// Texts that once broke what reads them.
@Suite(.timeLimit(.minutes(5))) struct HostileTextTests {
  /// A combining mark makes one character of itself and what stands before it.
  static let mark = "\u{301}"

  @Test func `a combining mark after a quotation mark does not end a curl command's word`() throws {
    let request = try Request(.post, to: "https://a.test/") {
      $0.body = .text("'\(Self.mark); touch /tmp/owned; '\(Self.mark)")
    }

    let command = request.curlCommand(redacting: .none)

    let word = "--data-raw ''\\''\(Self.mark); touch /tmp/owned; '\\''\(Self.mark)'"
    #expect(Data(command.utf8).range(of: Data(word.utf8)) != nil)
  }

  @Test func `a combining mark does not show a form's secret`() throws {
    let request = try Request(.post, to: "https://a.test/") {
      $0.body = .bytes(
        Data("a=1&\(Self.mark)b=2&password=\(Self.mark)s3cret".utf8),
        contentType: MediaType("application", "x-www-form-urlencoded")
      )
    }

    #expect(!request.curlCommand().contains("s3cret"))
  }

  @Test(arguments: [
    "https://a.test/?\(mark)token=s3cret", "https://a.test/x?token=\(mark)s3cret",
    "/x?a=1&\(mark)&token=s3cret", "/x#\(mark)&access_token=s3cret",
  ])
  func `a combining mark does not show a location's secret`(location: String) {
    let shown = SecretRules.standard.redacted(["Location": location])

    #expect(!(shown[.location] ?? "").contains("s3cret"))
  }

  @Test(arguments: [
    "https://a.test/?\(mark)token=s3cret", "user:s3cret@\(mark)host", "s3cret@x://a.test/",
    "https://user:s3cret@a.test/\(mark)", "login?token=s3cret&u=https://a.test/",
    "/cb#token=s3cret&u=https://a.test/", "a;token=s3cret&u=https://a.test/",
  ])
  func `the description of a refused URL has no secret`(text: String) {
    #expect(!Redaction.shown(text).contains("s3cret"))
  }

  @Test func `a combining mark after a semicolon does not join two cookies`() throws {
    let url = try Request("https://a.test/x").url
    let jar = CookieJar()
    let field = "a=b;\(Self.mark)c=d; Secure"

    jar.store(from: ResponseHead(status: .ok, headers: ["Set-Cookie": field], url: url))

    #expect(jar.field(for: url) == "a=b")
  }

  @Test func `a key with a combining mark first keeps its position in a payload's path`() {
    let path = PayloadPath(steps: ["a", "\(Self.mark)b", "c.d"])

    #expect(PayloadPath(path.description).steps == path.steps)
  }

  @Test func `searches unclosed quotation marks once`() {
    let text = "a/b" + String(repeating: ";\"\\", count: 1 << 14)

    // Each was once read to the end of the text: minutes.
    #expect(MediaType(text) == nil)
    #expect(Link.links(in: String(repeating: "<a>\\\",", count: 1 << 12)).count == 1 << 12)
  }

  @Test(
    arguments: ["a<", "<a ", "<a <b>", "a<b><c>"],
    [0, 16]
  )
  func `reads words before tags in linear time`(text: String, spaces: Int) {
    func time(_ length: Int) -> Duration {
      let words = String(repeating: text, count: length / text.utf8.count)
      let end = (spaces > 0 ? ">" : "") + String(repeating: " ", count: length * spaces)
      let body = Array((words + end).utf8)
      return threadTime { #expect(SecretMask.ranges(in: body).isEmpty) }
    }

    let few = time(1 << 12)
    let many = time(1 << 16)

    #expect(many < few * 64 + .milliseconds(500), "\(many) beside \(few)")
  }

  @Test func `decodes the levels of a deep JSON value`() throws {
    let deep = String(repeating: "[", count: 120) + String(repeating: "]", count: 120)
    let body = "[\(Array(repeating: deep, count: 100).joined(separator: ","))]"

    let value = try JSONDecoder().decode(JSONValue.self, from: Data(body.utf8))

    #expect(value[99]?[0]?[0] != nil)
  }

  @Test(arguments: [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")])
  func `refuses JSON values that are nested too deeply for the stack of a thread`(
    opening: String,
    closing: String
  ) throws {
    let levels = opening.hasPrefix("[{") ? 2 : 1
    func decode(_ depth: Int) throws -> JSONValue {
      let count = depth / levels
      let (start, end) = (
        String(repeating: opening, count: count), String(repeating: closing, count: count)
      )
      return try JSONDecoder().decode(JSONValue.self, from: Data("\(start)0\(end)".utf8))
    }

    _ = try decode(128)
    #expect(throws: DecodingError.self) { try decode(130) }
  }

  @Test(arguments: [("[", "]", "0"), ("{\"a\":", "}", "a")])
  func `reads JSON of 512 levels on a thread with a small stack`(
    opening: String,
    closing: String,
    step: String
  ) async throws {
    let (start, end) = (
      String(repeating: opening, count: 511), String(repeating: closing, count: 511)
    )
    let url = try #require(URL(string: "https://a.test/"))
    let response = Response(
      head: ResponseHead(status: .ok, headers: [:], url: url),
      value: Data("{\"id\":2.5,\"deep\":\(start)0\(end)}".utf8)
    )
    let path = PayloadPath(steps: ["deep"] + Array(repeating: step, count: 511))

    let (found, missing, refusal, misfit) = await onSmallStack {
      (
        response.hasValue(at: path), response.hasValue(at: "none"),
        Result { try Decoding<JSONValue>.json.value(of: response) },
        Result { try Decoding<[String: Int]>.json.value(of: response) }
      )
    }

    #expect(found && !missing)
    #expect(throws: FreshetError.self) { try refusal.get() }
    #expect(throws: FreshetError.self) { try misfit.get() }
  }

  /// Calls a function on a thread with as little stack as those of Dispatch have on Apple platforms.
  private func onSmallStack<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: body()) }
      thread.stackSize = 512 << 10
      thread.start()
    }
  }

  @Test(arguments: [("[", "]"), ("{\"a\":", "}")])
  func `decodes deep JSON values once`(opening: String, closing: String) throws {
    let (depth, count) = (120, 300)
    let deep =
      String(repeating: opening, count: depth) + "0" + String(repeating: closing, count: depth)
    let flat = "\(opening)0\(closing)"
    func time(_ element: String, _ count: Int) throws -> Duration {
      let body = Data("[\(Array(repeating: element, count: count).joined(separator: ","))]".utf8)
      return try threadTime {
        let value = try JSONDecoder().decode(JSONValue.self, from: body)
        #expect(value[count - 1] != nil)
      }
    }

    // Each level was tried as all other kinds of value.
    let (long, short) = (try time(deep, count), try time(flat, count * depth))
    #expect(long < short * 4)
  }

  @Test func `a line can be as long as the limit after a byte order mark, in any pieces`()
    async throws
  {
    let body = Array("\u{FEFF}1234\n".utf8).map { Data([$0]) }

    #expect(try await Chunks(body).lines(limit: 4).collected() == ["1234"])
  }

  @Test func `a combining mark does not hide a challenge`() {
    let challenges = Challenge.all(in: ["WWW-Authenticate": "Bearer error=\(Self.mark)x"])

    #expect(challenges.first?.parameters["error"] == "\(Self.mark)x")
  }
}
