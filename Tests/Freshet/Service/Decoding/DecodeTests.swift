import Foundation
import Freshet
import Synchronization
import TestSupport
import Testing

@Suite struct DecodeTests {
  private func send(_ reply: ServiceScript.Reply) -> ResponseSequence {
    Client(ServiceScript(reply)).send(.get("x"))
  }

  @Test func `JSON of any top level is decoded and the raw body stays`() async throws {
    let user = try await send(.json(#"{"id":1,"name":"Ann"}"#)).decode(User.self).value
    #expect(user.value == User(id: 1, name: "Ann"))
    #expect(user.body == Data(#"{"id":1,"name":"Ann"}"#.utf8))

    #expect(try await send(.json("[1,2]")).decode([Int].self).value.value == [1, 2])
    #expect(try await send(.json("5")).decode(Int.self).value.value == 5)
    #expect(try await send(.json(#""a""#)).decode(String.self).value.value == "a")
    #expect(try await send(.json("null")).decode(Int?.self).value.value == nil)
  }

  @Test func `a custom decoder decodes`() async throws {
    let decoding = Decoding<[Date]>
      .json {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return decoder
      }

    let dates = try await send(.json("[60]")).decode([Date].self, as: decoding).value.value

    #expect(dates == [Date(timeIntervalSince1970: 60)])
  }

  private static let json5: @Sendable () -> JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    return decoder
  }

  @Test(arguments: [
    "{\u{FF}1234567:1}", "[\u{FF}1234567]", "\u{EF}\u{BB}\u{BF}{\u{FF}1234567:1}",
    "\0{\u{FF}1234567:1}", "[1e+]", "{a:-.5E-}", "[0x1e+1]", "{id:+0X0x}", "[0x1g]",
    "[/*/ ' */1e+]", "[//\r1e+]", "{z:'\\u123\\',id:1e-}", "[\0001\000e\000+\0]\0",
  ])
  func `JSON5 that would end the process is an error`(text: String) async {
    let body = Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    func expectFailure<Value>(_ decoding: Decoding<Value>) async {
      let error = await #expect(throws: FreshetError.self) {
        try await send(.init(chunks: [body])).decode(Value.self, as: decoding).value
      }
      #expect(error?.kind == "decoding")
    }

    await expectFailure(Decoding<[String: Int]>.json(Self.json5))
    await expectFailure(Decoding<[Int]>.json(Self.json5))
    await expectFailure(Decoding<User>.json(keys: ["id": "a"], Self.json5))
    await expectFailure(Decoding<[Int]>.lenient(with: Self.json5))
  }

  @Test(arguments: [String.Encoding.utf8, .utf16, .utf16LittleEndian, .utf16BigEndian])
  func `JSON5 is decoded in the encodings of Unicode`(encoding: String.Encoding) async throws {
    let body = try #require("{é: 1, /* “ */ 'b': 2,}".data(using: encoding))

    let value = try await send(.init(chunks: [body]))
      .decode([String: Int].self, as: .json(Self.json5)).value.value

    #expect(value == ["é": 1, "b": 2])
  }

  @Test func `JSON5 has numbers and marks that JSON has not`() async throws {
    let body = "{a0x1g: 1, 'b1e+': +.5e+1 /* 1e+ */, $e: 0xEe, // 0x1g\n é: -Infinity, f: 5.}"

    let values = try await send(.json(body))
      .decode([String: Double].self, as: .json(Self.json5)).value.value

    #expect(values == ["a0x1g": 1, "b1e+": 5, "$e": 238, "é": -.infinity, "f": 5])
  }

  @Test(arguments: 1..<65)
  func `a number that is a whole body of JSON5 is read up to its end`(length: Int) async throws {
    let body = String(repeating: "3", count: length)

    let value = try await send(.json(body)).decode(Double.self, as: .json(Self.json5)).value.value

    #expect(value == Double(body))
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func `property lists are decoded`(
    format: PropertyListSerialization.PropertyListFormat
  )
    async throws
  {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    let body = try encoder.encode(User(id: 1, name: "Ann"))

    let call = send(.init(chunks: [body])).decode(User.self, as: .propertyList)

    #expect(try await call.value.value == User(id: 1, name: "Ann"))
  }

  @Test(
    arguments: [
      ("text/plain; charset=ISO-8859-1", [0x63, 0x61, 0x66, 0xE9]),
      ("text/plain; charset=\"UTF-8\"", [0x63, 0x61, 0x66, 0xC3, 0xA9]),
      ("text/plain", [0x63, 0x61, 0x66, 0xC3, 0xA9]),
      ("text/plain; charset=iso-8859-1", [0xEF, 0xBB, 0xBF, 0x63, 0x61, 0x66, 0xC3, 0xA9]),
      ("text/plain; charset=utf-16le", [0x63, 0, 0x61, 0, 0x66, 0, 0xE9, 0]),
      ("text/plain; charset=utf-16", [0xFF, 0xFE, 0x63, 0, 0x61, 0, 0x66, 0, 0xE9, 0]),
    ] as [(String, [UInt8])]
  )
  func `text is decoded in its character set`(type: String, bytes: [UInt8]) async throws {
    let call = send(.init(headers: [.contentType: type], chunks: [Data(bytes)]))
      .decode(String.self, as: .text)

    #expect(try await call.value.value == "café")
  }

  @Test(arguments: ["text/plain", "text/plain; charset=us-ascii", "text/plain; charset=klingon"])
  func `text that is not in its character set is an error`(type: String) async {
    let reply = ServiceScript.Reply(headers: [.contentType: type], chunks: [Data([0x63, 0xE9])])

    let error = await #expect(throws: FreshetError.self) {
      try await send(reply).decode(String.self, as: .text).value
    }

    #expect(error?.kind == "decoding")
  }

  @Test func `bytes are the unchanged body`() async throws {
    let call = send(.json("\"AA==\""))

    #expect(try await call.decode(Data.self, as: .bytes).value.value == Data("\"AA==\"".utf8))
    #expect(try await call.decode(Data.self).value.value == Data("\"AA==\"".utf8))
    #expect(try await call.decode(Data.self, as: .json).value.value == Data([0]))
  }

  @Test(arguments: [
    ServiceScript.Reply(status: 204), .init(status: 205), .init(), .json(" \r\n"),
  ])
  func `an empty body is nil or EmptyResponse and otherwise an error`(
    reply: ServiceScript.Reply
  )
    async throws
  {
    #expect(try await send(reply).decode(User?.self).value.value == nil)
    #expect(try await send(reply).decode(EmptyResponse.self).value.value == EmptyResponse())
    #expect(try await send(reply).decode(User?.self, as: .propertyList).value.value == nil)

    for error in [
      await #expect(throws: FreshetError.self) { try await send(reply).decode(User.self).value },
      await #expect(throws: FreshetError.self) { try await send(reply).decode([User].self).value },
      await #expect(throws: FreshetError.self) {
        try await send(reply).decode([User].self, as: .lenient()).value
      },
    ] {
      guard case .decoding(let failure, _, _) = error else { throw try #require(error) }
      #expect(failure.reason == "the body is empty")
    }
  }

  @Test func `EmptyResponse is decoded from any body`() async throws {
    #expect(try await send(.json("<ok>")).decode(EmptyResponse.self).value.value == EmptyResponse())
  }

  @Test func `one bad element fails a strict array`() async throws {
    let call = send(.json(#"[{"id":1,"name":"Ann"},{"id":"2","name":"Bo"}]"#)).decode([User].self)

    let error = await #expect(throws: FreshetError.self) { try await call.value }

    guard case .decoding(let failure, let head, _) = error else { throw try #require(error) }
    #expect(failure.keyPath == "[1].id")
    #expect(failure.excerpt.contains(#""2""#))
    #expect(head?.status == 200)
  }

  @Test func `a lenient array keeps the good elements and reports the bad ones`() async throws {
    let text = #"[{"id":1,"name":"Ann"},null,{"id":"x"},7,{"id":2,"name":"Bo"}]"#
    let call = send(.json(text)).decode([User].self, as: .lenient())

    let response = try await call.value

    #expect(response.value.map(\.id) == [1, 2])
    #expect(response.skipped.map(\.keyPath) == ["[1]", "[2].id", "[3]"])
  }

  @Test func `a lenient array names the number that does not fit, and its place`() async throws {
    let text = #"[{"id":1,"name":"Ann"},{"id":2.5,"name":"x"},{"id":2.5,"name":"y"}]"#

    let response = try await send(.json(text)).decode([User].self, as: .lenient()).value

    #expect(response.skipped.map(\.keyPath) == ["[1].id", "[2].id"])
    #expect(response.skipped.allSatisfy { $0.reason.contains("2.5 does not fit") })
  }

  @Test func `an optional body is its bytes, or nil`() async throws {
    #expect(try await send(.json("{}")).decode(Data?.self).value.value == Data("{}".utf8))
    #expect(try await send(.init(status: 204)).decode(Data?.self).value.value == nil)
  }

  @Test func `a lenient array knows its place in the envelope and its decoder`() async throws {
    let call = send(.json(#"{"d":[5,"x"]}"#)).unwrap(at: "d").decode([Date].self, as: .lenient())

    let response = try await call.value

    #expect(response.value == [Date(timeIntervalSinceReferenceDate: 5)])
    #expect(response.skipped.map(\.keyPath) == ["d[1]"])
  }

  @Test(arguments: ["{}", "[1", "5"])
  func `a lenient array is still an array`(text: String) async {
    let error = await #expect(throws: FreshetError.self) {
      try await send(.json(text)).decode([Int].self, as: .lenient()).value
    }

    #expect(error?.kind == "decoding")
  }

  @Test func `a lenient array with many bad elements costs no more than one reading of each`()
    throws
  {
    let text = "[" + Array(repeating: #""bad""#, count: 20_010).joined(separator: ",") + "]"
    let url = try #require(URL(string: "http://api.test"))
    let head = ResponseHead(status: 200, headers: [:], url: url)
    let received = Response(head: head, value: Data(text.utf8))
    var decoded: Response<[Int]>?

    let time = try threadTime { decoded = try Decoding<[Int]>.lenient().value(of: received) }

    let response = try #require(decoded)
    #expect(time < .seconds(20))
    #expect(response.skipped.count == 20_000)
    #expect(response.skipped.last?.keyPath == "[19999]")
    #expect(response.skipped.count { !$0.excerpt.isEmpty } == 50)
  }

  @Test func `an array of many elements of the wrong kind takes no memory for right ones`()
    async throws
  {
    struct Eight<Part: Sendable>: Sendable {
      let parts: (Part, Part, Part, Part, Part, Part, Part, Part)
    }
    struct Wide: Decodable, Sendable {
      let numbers: Eight<Eight<Eight<Eight<Int64>>>>

      init(from decoder: any Decoder) throws {
        throw CocoaError(.coderInvalidValue)
      }
    }
    // Whole, they would have 64 GiB.
    let text = "[" + String(repeating: "0,", count: 2 << 20) + "0]"
    let url = try #require(URL(string: "http://api.test"))
    let head = ResponseHead(status: 200, headers: [:], url: url)
    let received = Response(head: head, value: Data(text.utf8))

    #expect(throws: FreshetError.self) {
      try Decoding<[Wide]>.json.value(of: received)
    }
    #expect(throws: FreshetError.self) {
      try Decoding<[Wide]>.json(keys: ["numbers": "n"]).value(of: received)
    }
  }

  @Test func `a cancelled task ends the description of bad elements`() async throws {
    struct Element: Decodable, Sendable {
      init(from decoder: any Decoder) throws {
        withUnsafeCurrentTask { $0?.cancel() }
        throw CocoaError(.coderInvalidValue)
      }
    }
    let call = send(.json("[1]")).decode([Element].self, as: .lenient())

    let error = await Task {
      await #expect(throws: FreshetError.self) { try await call.value }
    }
    .value

    #expect(error == .cancelled)
  }

  @Test func `ends after a failure, over several pages too`() async throws {
    let router = try Router([Route("**", [Int].self)])

    #expect(try await failuresAndMore { $0.decode([Int].self) } == [1, 0])
    #expect(try await failuresAndMore { $0.validate { _ in false } } == [1, 0])
    #expect(try await failuresAndMore { $0.reject(as: User.self) { _ in true } } == [1, 0])
    #expect(try await failuresAndMore { $0.unwrap(at: "b") } == [1, 0])
    #expect(try await failuresAndMore { $0.unwrap(as: Boxed.self) } == [1, 0])
    #expect(try await failuresAndMore { $0.decode([Int].self, by: router) } == [1, 0])
  }

  private struct Boxed: Envelope {
    var payload: Int
  }

  /// How often a pipeline of a bad and a good page fails, and how many values it has besides.
  private func failuresAndMore<Events: AsyncSequence>(
    _ pipeline: (PageSequence) -> Events
  ) async throws -> [Int] where Events.Element: PipelineEvent {
    let script = ServiceScript(
      .json(#"{"a":"x"}"#, headers: ["Link": "<?2>; rel=next"]),
      .json("[1,2]")
    )
    var iterator = pipeline(Client(script).pages(.get("x"), next: .link)).makeAsyncIterator()
    var (failures, values) = (0, 0)
    for _ in 0..<10 {
      do {
        if try await iterator.next(isolation: #isolation)?.value != nil { values += 1 }
      } catch {
        failures += 1
      }
    }
    return [failures, values]
  }

  @Test func `an error response is not decoded even if it could be`() async {
    let error = await #expect(throws: FreshetError.self) {
      try await send(.json("[]", status: 500)).decode([User].self).value
    }

    #expect(error?.kind == "status")
  }

  @MarkedActor
  @Test func `decoding runs off the caller's actor`() async throws {
    struct Place: Decodable, Sendable {
      let isMain: Bool
      init(from decoder: any Decoder) { isMain = MarkedActor.isCurrent }
    }
    struct Wrapper: Envelope {
      let payload: Place
    }
    #expect(MarkedActor.isCurrent)

    #expect(try await send(.json("{}")).decode(Place.self).value.value.isMain == false)
    let wrapped = send(.json(#"{"payload":{}}"#)).unwrap(as: Wrapper.self)
    #expect(try await wrapped.value.value.isMain == false)
    let lines = try await Chunks("{}\n").ndjson(Place.self).collected()
    #expect(lines.map(\.isMain) == [false])
    let rejected = send(.json("{}", status: 400)).reject(as: Place.self)
    let error = await #expect(throws: CallError<Place>.self) { try await rejected.value }
    #expect(error?.model?.isMain == false)
  }

  @Test func `a cancelled task ends a decoding between two elements`() async throws {
    struct Element: Decodable, Sendable {
      static let count = Mutex(0)
      init(from decoder: any Decoder) {
        let count = Self.count.withLock { count in
          count += 1
          return count
        }
        if count == 100 { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    let text = "[" + Array(repeating: "1", count: 10_000).joined(separator: ",") + "]"
    let call = send(.json(text)).decode([Element].self)

    let error = await Task {
      await #expect(throws: FreshetError.self) { try await call.value }
    }
    .value

    #expect(error == .cancelled)
    #expect(Element.count.withLock { $0 } < 200)
  }

  @Test func `wraps the error of a custom decoding`() async {
    struct Odd: Error {}
    let odd = Decoding<Int> { _, _ in throw Odd() }
    let cancelled = Decoding<Int> { _, _ in throw CancellationError() }
    let own = Decoding<Int> { _, _ in throw FreshetError.noValue }

    let errors = [
      await #expect(throws: FreshetError.self) {
        try await send(.json("1")).decode(Int.self, as: odd).value
      },
      await #expect(throws: FreshetError.self) {
        try await send(.json("1")).decode(Int.self, as: cancelled).value
      },
      await #expect(throws: FreshetError.self) {
        try await send(.json("1")).decode(Int.self, as: own).value
      },
    ]

    #expect(errors.map { $0?.kind } == ["decoding", "cancelled", "noValue"])
  }
}
