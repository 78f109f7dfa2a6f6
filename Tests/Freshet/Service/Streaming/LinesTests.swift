import Foundation
import Freshet
import Testing

@Suite(.timeLimit(.minutes(5))) struct LinesTests {
  @Test(arguments: [
    (["a\nb\r\nc"], ["a", "b", "c"]),
    (["a\n"], ["a"]),
    (["\n\n"], ["", ""]),
    ([""], []),
    (["a", "b\r", "\nc", "\n"], ["ab", "c"]),
    (["a\rb\n"], ["a\rb"]),
    (["a\n", "b\r"], ["a", "b\r"]),
    (["\u{FEFF}a\n\u{FEFF}b"], ["a", "\u{FEFF}b"]),
    (["é\nü"], ["é", "ü"]),
  ])
  func `cuts at LF and CRLF`(chunks: [String], lines: [String]) async throws {
    let body = Chunks(chunks.map { Data($0.utf8) })
    #expect(try await body.lines().collected() == lines)

    let bytes = Chunks(chunks.joined().utf8.map { Data([$0]) })
    #expect(try await bytes.lines().collected() == lines)
  }

  @Test func `bytes that are not UTF-8 become replacement characters`() async throws {
    let body = Chunks([Data([0x61, 0xFF, 0x0A])])

    #expect(try await body.lines().collected() == ["a\u{FFFD}"])
  }

  @Test func `no limit is a limit too`() async throws {
    let lines = Chunks("12", "345\n6").lines(limit: .max)

    #expect(try await lines.collected() == ["12345", "6"])
  }

  @Test(arguments: [["12345\n"], ["12", "345"], ["123", "4", "5\n"], ["12345678"]])
  func `a line that is too long is a failure, once`(chunks: [String]) async throws {
    var lines = Chunks(chunks.map { Data($0.utf8) }).lines(limit: 4).makeAsyncIterator()

    let error = await #expect(throws: FreshetError.self) { try await lines.next(isolation: nil) }
    #expect(error == .limitExceeded(.lineBytes(4), url: ""))
    #expect(try await lines.next(isolation: nil) == nil)
  }

  @Test func `a body without line ends fails before it ends`() async {
    let chunk = Data("1234".utf8)
    let script = ServiceScript(.init(chunks: [chunk, chunk, chunk], hang: Hang()))
    let lines = Client(script).stream(.get("x")).lines(limit: 8)

    let error = await #expect(throws: FreshetError.self) { try await lines.collected() }

    #expect(error == .limitExceeded(.lineBytes(8), url: ""))
  }

  @Test func `a line may be as long as the limit`() async throws {
    #expect(
      try await Chunks("12", "34\r", "\n1234").lines(limit: 4).collected() == ["1234", "1234"]
    )
  }

  @Test func `delivers lines of a body before it ends`() async throws {
    let script = ServiceScript(.init(chunks: [Data("a\nb".utf8)], hang: Hang()))

    for try await line in Client(script).stream(.get("x")).lines() {
      #expect(line == "a")
      break
    }
  }

  @Test func `NDJSON has one value on each line and skips empty ones`() async throws {
    let body = Chunks(#"{"id":1,"#, "\"name\":\"Ann\"}\r\n\n  \n{\"id\":2,\"name\":\"Bo\"}")

    #expect(try await body.ndjson(User.self).collected().map(\.id) == [1, 2])
  }

  @Test func `a decoding of NDJSON that is cancelled is cancelled`() async throws {
    let cancelling = Decoding<Int> { _, _ in throw CancellationError() }
    let own = Decoding<Int> { _, _ in
      withUnsafeCurrentTask { $0?.cancel() }
      return 1
    }
    for decoding in [cancelling, own] {
      let lines = Chunks("1\n").ndjson(Int.self, as: decoding)
      let error = await Task { await thrown { try await lines.collected() } }.value
      #expect(error == .cancelled)
    }
  }

  @Test func `a bad line of NDJSON is named and ends the stream`() async throws {
    var values = Chunks("{\"id\":1,\"name\":\"A\"}\n{\"id\":\"x\"}\n{\"id\":2,\"name\":\"B\"}\n")
      .ndjson(User.self).makeAsyncIterator()
    #expect(try await values.next(isolation: nil)?.id == 1)

    let error = await #expect(throws: FreshetError.self) { try await values.next(isolation: nil) }

    guard case .decoding(let failure, let head, let body) = error else {
      throw try #require(error)
    }
    #expect(failure.keyPath == "[1].id")
    #expect(head == nil)
    #expect(body == Data(#"{"id":"x"}"#.utf8))
    #expect(try await values.next(isolation: nil) == nil)
  }
}
