import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ReplayTests {
  private let clock = VirtualClock()

  /// The usual rules, and what is not understood all the same.
  private static let showing: SecretRules = {
    var rules = SecretRules.standard
    rules.unparsedBodies = .shown
    return rules
  }()

  private func recorder(_ rules: SecretRules = showing, size: Int = 1 << 20) -> HARRecorder {
    let clock = clock
    return HARRecorder(rules: rules, maximumBodySize: size, now: { clock.date })
  }

  private func entries(_ recorder: HARRecorder) throws -> [[String: Any]] {
    let archive = try JSONSerialization.jsonObject(with: recorder.data()) as? [String: Any]
    let log = archive?["log"] as? [String: Any]
    #expect(log?["version"] as? String == "1.2")
    return try #require(log?["entries"] as? [[String: Any]])
  }

  @Test func `replays a recording, with each hop of a redirect`() async throws {
    let recorder = recorder()
    let wire = ScriptedTransport { request in
      switch request.url.path() {
      case "/a": ScriptedResponse(302, headers: [.location: "/b?x=1"])
      case "/bytes": ScriptedResponse(headers: [.contentLength: "3"], body: Data([0xFF, 0, 1]))
      default: .text("héllo")
      }
    }
    let recording = wire.recording(to: recorder)
    let urls = ["http://a.test/a", "http://a.test/bytes"]

    for url in urls { _ = await recording.call(try Request(to: url)) }
    let replay = try ReplayTransport(recorder.data())

    let moved = await replay.call(try Request(to: urls[0]))
    #expect(moved.names == ["redirected", "head 200", "body", "finished"])
    #expect(moved.text == "héllo")
    var bytes = Data()
    for try await event in replay.send(try Request(to: urls[1])) {
      if case .body(let chunk) = event { bytes += chunk }
    }
    #expect(bytes == Data([0xFF, 0, 1]))
    #expect(recorder.count == 3)
    #expect(wire.counts.started == 3)
  }

  @Test func `no secret reaches the archive`() async throws {
    let recorder = recorder(.standard)
    let answer = #"{"access_token":"s3cret","user":{"password" : ["s3cret", "a"], "name":"Ann"}}"#
    let wire = ScriptedTransport { _ in
      ScriptedResponse(
        headers: [.contentType: "application/json", .setCookie: "id=s3cret"],
        body: Data(answer.utf8)
      )
    }
    let request = try Request(.post, to: "http://a.test/t?page=1&api_key=s3cret&code=s3cret#f") {
      $0.headers = [.authorization: "Bearer s3cret", "X-Api-Key": "s3cret", "X-Trace": "t1"]
      $0.body = .bytes(
        Data("grant=x&client%5Fsecret=s3cret".utf8),
        contentType: MediaType("application/x-www-form-urlencoded")
      )
    }

    _ = await wire.recording(to: recorder).call(request)

    let text = String(decoding: try recorder.data(), as: UTF8.self)
    #expect(!text.contains("s3cret"))
    for kept in ["page=1", "Ann", "t1", "grant=x"] { #expect(text.contains(kept)) }
    let replayed = await (try ReplayTransport(recorder.data())).call(request)
    #expect(replayed.text.contains("Ann"))
  }

  @Test func `no secret that the response repeats reaches the archive`() async throws {
    let recorder = recorder()
    let echo =
      "h1dden-in-header, h1dden-in-cookie, h1dden-in-query, h1dden/in/form and h1dden-in-user"
    let wire = ScriptedTransport { _ in
      ScriptedResponse(
        headers: ["X-Echo": echo, .location: "/h1dden-in-query"],
        body: Data(echo.utf8)
      )
    }
    let request = try Request(.post, to: "http://a.test/t?api_key=h1dden-in-query") {
      $0.headers = [
        "X-Api-Key": "h1dden-in-header", .cookie: "a=b; sid=h1dden-in-cookie",
        .authorization: "Basic " + Data("ann:h1dden-in-user".utf8).base64EncodedString(),
      ]
      $0.body = .bytes(
        Data("client_secret=h1dden%2Fin%2Fform".utf8),
        contentType: MediaType("application/x-www-form-urlencoded")
      )
    }

    _ = await wire.recording(to: recorder).call(request)

    let text = String(decoding: try recorder.data(), as: UTF8.self)
    #expect(!text.contains("h1dden"))
    #expect(text.contains("<redacted>, <redacted>, <redacted>, <redacted> and <redacted>"))
    #expect(text.contains("/redacted"))
  }

  @Test func `keeps secrets only on request`() async throws {
    let recorder = recorder(.none)
    let wire = ScriptedTransport { _ in .json(#"{"token":"s3cret"}"#) }

    _ = await wire.recording(to: recorder)
      .call(
        try Request { $0.headers[.authorization] = "Bearer s3cret" }
      )

    let text = String(decoding: try recorder.data(), as: UTF8.self)
    #expect(text.contains("Bearer s3cret"))
    #expect(text.contains(#"{\"token\":\"s3cret\"}"#))
  }

  @Test func `responses come in recorded order`() async throws {
    let recorder = recorder()
    let wire = ScriptedTransport(sequence: [.text("1"), .text("2")])
    for _ in 0..<2 {
      _ = await wire.recording(to: recorder).call(try Request())
      clock.advance(by: .seconds(1))
    }
    let data = try recorder.data()
    let played = { (repetition: ReplayTransport.Repetition) in
      let replay = try ReplayTransport(data, repetition: repetition)
      var texts: [String] = []
      for _ in 0..<4 {
        let result = await replay.call(try Request())
        texts.append(result.error?.kind ?? result.text)
      }
      return texts
    }

    #expect(try await played(.once) == ["1", "2", "invalidRequest", "invalidRequest"])
    #expect(try await played(.loop) == ["1", "2", "1", "2"])
    #expect(try await played(.last) == ["1", "2", "2", "2"])
  }

  @Test func `an unrecorded request fails and names its method, its URL and the archive`()
    async throws
  {
    let replay = try ReplayTransport(recorder().data())

    let result = await replay.call(try Request(to: "http://a.test/none?page=3&token=s3cret"))

    let reason =
      "the archive has no response to GET http://a.test/none?page=3&token=redacted"
    #expect(result.error == .invalidRequest(reason, url: "http://a.test/none"))
    #expect(result.ends == 1)
  }

  @Test func `a request after the last response fails with the name of the file`() async throws {
    let folder = try TemporaryDirectory()
    let file = folder.url.appending(path: "calls.har")
    let recorder = recorder()
    _ = await ScriptedTransport { _ in .text("x") }.recording(to: recorder).call(try Request())
    try recorder.write(to: file)
    let replay = try ReplayTransport(contentsOf: file, repetition: .once)
    _ = await replay.call(try Request())

    let error = await replay.call(try Request()).error

    let reason = "calls.har has no further response to GET http://a.test/x"
    #expect(error == .invalidRequest(reason, url: "http://a.test/x"))
  }

  @Test func `a model of a recording is decoded as it was, without its secrets`() async throws {
    struct Account: Decodable, Equatable {
      struct Session: Decodable, Equatable { let id: Int, name: String }
      let tokenExpiresIn: Int
      let session: Session
      let hasPassword: Bool
      let pass: String?
      let name: String
    }
    let recorder = recorder(.standard)
    let wire = ScriptedTransport { _ in
      .json(
        #"{"tokenExpiresIn":3600,"session":{"id":7,"name":"s3cret"},"hasPassword":true,"#
          + #""pass":null,"name":"Ann"}"#
      )
    }
    _ = await wire.recording(to: recorder).call(try Request())
    let replay = try ReplayTransport(recorder.data())

    let text = await replay.call(try Request()).text

    let account = try JSONDecoder().decode(Account.self, from: Data(text.utf8))
    let session = Account.Session(id: 0, name: "<redacted>")
    #expect(
      account
        == Account(
          tokenExpiresIn: 0,
          session: session,
          hasPassword: true,
          pass: nil,
          name: "Ann"
        )
    )
  }

  @Test func `events of JSON are replayed`() async throws {
    let words = #"data: {"text":"a"}"# + "\n\n"
    let usage = "id: 2\nevent: stop\n" + #"data: {"usage":{"output_tokens":2}}"# + "\n\n"
    let chunks = [words, usage, "data: [DONE]\n\n"].map { Data($0.utf8) }
    let wire = ScriptedTransport { _ in
      ScriptedResponse(headers: [.contentType: "text/event-stream"], chunks: chunks)
    }
    let request = Request.post("http://a.test/chat", body: .text("hello"))
    let read = { (transport: any Transport) async throws -> [ServerSentEvent] in
      var events: [ServerSentEvent] = []
      let client = Client { $0.transport = transport }
      for try await event in client.events(request) { events.append(event) }
      return events
    }
    let recorder = recorder(.standard)

    let recorded = try await read(wire.recording(to: recorder))

    #expect(recorded.count == 3)
    #expect(try await read(ReplayTransport(recorder.data())) == recorded)
  }

  @Test func `pages with cursors that are called tokens are replayed`() async throws {
    let recorder = recorder(.standard)
    let wire = ScriptedTransport { request in
      let isSecond = request.url.absoluteString.hasSuffix("?pageToken=b")
      return .json(isSecond ? #"{"items":[2]}"# : #"{"items":[1],"nextPageToken":"b"}"#)
    }
    let first = Request(.get, try Request().url)
    let read = { (transport: any Transport) async throws -> [String] in
      let client = Client { $0.transport = transport }
      let next = PageStrategy.cursor(at: "nextPageToken", query: "pageToken")
      var pages: [String] = []
      for try await page in client.pages(first, next: next).values {
        pages.append(String(decoding: page.value, as: UTF8.self))
      }
      return pages
    }

    let recorded = try await read(wire.recording(to: recorder))

    #expect(recorded.count == 2)
    #expect(try await read(ReplayTransport(recorder.data())) == recorded)
  }

  @Test func `separates requests by method, and by body on request`() async throws {
    let recorder = recorder()
    let wire = ScriptedTransport { request in .text(request.method.rawValue) }
    let recording = wire.recording(to: recorder)
    let post = { (text: String) in try Request(.post) { $0.body = .text(text) } }
    for request in [try Request(), try post("a")] { _ = await recording.call(request) }
    let replay = try ReplayTransport(recorder.data(), matching: .body)

    #expect(try await replay.call(Request()).text == "GET")
    #expect(try await replay.call(post("a")).text == "POST")
    #expect(try await replay.call(post("b")).error?.kind == "invalidRequest")
  }

  @Test(arguments: [
    RequestBody.text("a"), .bytes(Data([0xFF, 0])),
    .bytes(Data(#"{"a":[1,{"token":"x"}]}"#.utf8), contentType: .json),
    .bytes(Data("a=1&token=x".utf8), contentType: MediaType("application/x-www-form-urlencoded")),
    .bytes(
      Data("--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--\r\n".utf8),
      contentType: MediaType("multipart/form-data; boundary=b")
    ),
  ])
  func `finds a request by its hidden body, and replays JSON`(
    body: RequestBody
  ) async throws {
    for rules in [SecretRules.standard, Self.showing] {
      let recorder = recorder(rules)
      let wire = ScriptedTransport { _ in .json(#"{"a":[1]}"#) }
      let request = try Request(.post) { $0.body = body }
      _ = await wire.recording(to: recorder).call(request)
      let replay = try ReplayTransport(recorder.data(), matching: .body)

      #expect(await replay.call(request).text == #"{"a":[1]}"#)
      let other = try Request(.post) { $0.body = .text("b") }
      #expect(await replay.call(other).error?.kind == "invalidRequest")
    }
  }

  @Test func `records the length and digest of unknown bodies`() async throws {
    let recorder = recorder(.standard)
    let wire = ScriptedTransport { _ in .text("hunter2") }
    _ = await wire.recording(to: recorder).call(try Request(.post) { $0.body = .text("hunter2") })

    let entry = try #require(try entries(recorder).first)
    let response = entry["response"] as? [String: Any]
    let content = try #require(response?["content"] as? [String: Any])
    let post = try #require((entry["request"] as? [String: Any])?["postData"] as? [String: Any])
    let digest = "f52fbd32b2b3b86ff88ef6c490628285f482af15ddcb29541f94bcf526a3f6c7"
    for kept in [content, post] {
      #expect(kept["text"] == nil)
      #expect((kept["comment"] as? String)?.contains("<7 bytes, SHA-256 \(digest)>") == true)
    }
    let replayed = try await ReplayTransport(recorder.data()).call(Request(.post))
    #expect(replayed.names == ["head 200"])
    guard case .invalidResponse(let reason, _) = replayed.error else {
      Issue.record("\(String(describing: replayed.error))")
      return
    }
    #expect(reason.hasPrefix("its body is not in the archive: The body was not understood"))
    #expect(reason.contains(digest))
  }

  @Test(arguments: [204, 302, 404])
  func `a redirect and an error are replayed without a body that was not recorded`(
    status: Int
  ) async throws {
    let archive = """
      {"log":{"version":"1.2","entries":[{"request":{"method":"GET","url":"http://a.test/x"},
      "response":{"status":\(status),"content":{"size":\(status == 204 ? 0 : 5)}}}]}}
      """

    let result = try await ReplayTransport(Data(archive.utf8)).call(Request())

    #expect(result.names == ["head \(status)", "finished"])
  }

  @Test(arguments: [
    (HTTPMethod.get, 5, "invalidResponse" as String?), (.get, 0, nil), (.head, 5, nil),
  ])
  func `a success of a browser's archive without its body fails, unless it has none`(
    method: HTTPMethod,
    size: Int,
    kind: String?
  ) async throws {
    let archive = """
      {"log":{"version":"1.2","entries":[{"request":{"method":"\(method)",
      "url":"http://a.test/x"},"response":{"status":200,"content":{"size":\(size)}}}]}}
      """

    let result = try await ReplayTransport(Data(archive.utf8)).call(Request(method))

    #expect(result.error?.kind == kind)
  }

  @Test func `failures are recorded and replayed as failures`() async throws {
    let recorder = recorder()
    let lost = FreshetError.connection(.lost, url: "http://a.test/x")
    let wire = ScriptedTransport(sequence: [
      .failure(lost), .text("part").failing(with: lost, at: .afterChunks(1)),
    ])
    for _ in 0..<2 {
      _ = await wire.recording(to: recorder).call(try Request())
      clock.advance(by: .seconds(1))
    }
    let replay = try ReplayTransport(recorder.data())

    let refused = await replay.call(try Request())
    let broken = await replay.call(try Request())

    #expect(refused.names == [])
    #expect(refused.error?.kind == "connection")
    #expect(broken.text == "part")
    #expect(broken.error?.kind == "connection")
  }

  @Test func `records an unfinished transfer once`() async throws {
    let recorder = recorder()
    let transport = ScriptedTransport { _ in .text("x") }.recording(to: recorder)
    var events: Transfer.Iterator? = transport.send(try Request()).makeAsyncIterator()
    _ = try await events?.next()
    events = nil

    #expect(try entries(recorder).count == 1)
  }

  @Test func `the time of a handshake is a part of that of the connection`() async throws {
    let recorder = recorder()
    let metrics = TransferMetrics(
      nameLookup: .milliseconds(1),
      connect: .milliseconds(3),
      tls: .milliseconds(10),
      firstByte: .milliseconds(15),
      total: .milliseconds(20)
    )
    let wire = ScriptedTransport { _ in .text("x").metrics(metrics) }

    _ = await wire.recording(to: recorder).call(try Request())

    let entry = try entries(recorder).first
    let timings = try #require(entry?["timings"] as? [String: Double])
    #expect(timings["ssl"] == 7)
    #expect(timings["connect"] == 9)
    #expect(timings.filter { $0.key != "ssl" }.values.reduce(0, +) == entry?["time"] as? Double)
  }

  @Test func `records only the size of a large body`() async throws {
    let recorder = recorder(size: 4)
    let wire = ScriptedTransport { _ in .text("12345") }

    _ = await wire.recording(to: recorder).call(try Request())

    let response = try entries(recorder).first?["response"] as? [String: Any]
    let content = response?["content"] as? [String: Any]
    #expect(content?["size"] as? Int == 5)
    #expect(content?["text"] == nil)
  }

  @Test func `keeps at most its limit, the newest`() async throws {
    let recorder = HARRecorder(maximumCount: 2)
    let transport = ScriptedTransport { _ in .text("x") }.recording(to: recorder)

    for path in ["1", "2", "3"] {
      _ = await transport.call(try Request(to: "http://a.test/\(path)"))
    }

    let text = String(decoding: try recorder.data(), as: UTF8.self)
    #expect(recorder.count == 2)
    #expect(!text.contains("a.test/1"))
  }

  @Test(arguments: [0, -1, Int.min])
  func `keeps nothing with a limit of none`(limit: Int) async throws {
    let recorder = HARRecorder(maximumCount: limit)

    _ = await ScriptedTransport { _ in .text("x") }.recording(to: recorder).call(try Request())

    #expect(recorder.count == 0)
  }

  @Test func `writes a readable file over an older one`() async throws {
    let folder = try TemporaryDirectory()
    let file = folder.url.appending(path: "calls.har")
    try Data("old".utf8).write(to: file)
    let recorder = recorder()
    _ = await ScriptedTransport { _ in .text("x") }.recording(to: recorder).call(try Request())

    try recorder.write(to: file)

    let replay = try ReplayTransport(contentsOf: file)
    #expect(try await replay.call(Request()).text == "x")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains("\n"))
    #expect(text.contains("\"startedDateTime\" : \"2026-01-01T00:00:00.000Z\""))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["calls.har"])
  }

  @Test func `an archive is only for its user, unless it replaces a file that is for more`() throws
  {
    let folder = try TemporaryDirectory()
    let new = folder.url.appending(path: "new.har")
    let old = folder.url.appending(path: "old.har")
    try Data("old".utf8).write(to: old)
    #expect(chmod(old.path, 0o664) == 0)

    try recorder().write(to: new)
    try recorder().write(to: old)

    var status = stat()
    #expect(stat(new.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(stat(old.path, &status) == 0 && status.st_mode & 0o777 == 0o664)
  }

  @Test func `reads an archive of a browser`() async throws {
    let archive = #"""
      {"log":{"version":"1.2","creator":{"name":"WebInspector","version":"537.36"},"pages":[],
      "entries":[{"_connectionId":"1","_initiator":{"type":"other"},"_priority":"VeryHigh",
      "cache":{"beforeRequest":null},"connection":"443","pageref":"page_1","request":{"method":"GET",
      "url":"https://example.org","httpVersion":"http/2.0","headers":[{"name":":authority",
      "value":"example.org"}],"queryString":[],"cookies":[{"name":"a","expires":1}],
      "headersSize":-1,"bodySize":0},
      "response":{"status":200,"statusText":"","httpVersion":"http/2.0","headers":[
      {"name":":status","value":"200"},{"name":"content-encoding","value":"br"},
      {"name":"content-length","value":"9"}],"cookies":[],"content":{"size":5,
      "mimeType":"text/html","text":"aGVsbG8=","encoding":"base64"},"redirectURL":"",
      "headersSize":-1,"bodySize":-1,"_transferSize":300,"_error":null},"serverIPAddress":"::1",
      "startedDateTime":"2026-01-01T00:00:00.000Z","time":12.3,"timings":{"blocked":1,"dns":null,
      "connect":-1,"send":0.1,"wait":10,"receive":1,"_blocked_queueing":0.5}}]}}
      """#
    let replay = try ReplayTransport(Data(archive.utf8))

    let result = await replay.call(try Request(to: "https://EXAMPLE.org:443/#top"))

    #expect(result.text == "hello")
    #expect(result.headers.map(\.name.rawValue) == ["content-encoding", "content-length"])
  }

  @Test func `reads an archive whose parts that are not needed have other types`() async throws {
    let archive = #"""
      {"log":{"version":"1.2","entries":[{"cache":[],"comment":1,"timings":[],
      "request":{"method":"GET","url":"https://a.test/x","cookies":{},"headersSize":12.5},
      "response":{"status":200,"cookies":{},"headersSize":"","content":{"text":"hello"}}}]}}
      """#
    let replay = try ReplayTransport(Data(archive.utf8))

    #expect(await replay.call(try Request("https://a.test/x")).text == "hello")
  }

  @Test func `finds a URL of a browser, which leaves marks of the query as they are`() async throws
  {
    let archive = #"""
      {"log":{"version":"1.2","creator":{"name":"Firefox","version":"140"},"entries":[{"cache":{},
      "request":{"method":"GET","url":"https://a.test/x?f[a]=b|c^{d}`&e=%20g","headers":[],
      "httpVersion":"HTTP/2","queryString":[],"cookies":[],"headersSize":-1,"bodySize":0},
      "response":{"status":200,"statusText":"","httpVersion":"HTTP/2","headers":[],"cookies":[],
      "content":{"size":5,"mimeType":"text/plain","text":"hello"},"redirectURL":"",
      "headersSize":-1,"bodySize":5},"startedDateTime":"2026-01-01T00:00:00.000Z","time":1,
      "timings":{"send":0,"wait":1,"receive":0}}]}}
      """#
    let replay = try ReplayTransport(Data(archive.utf8))

    let result = await replay.call(try Request("https://a.test/x?f[a]=b|c^{d}`&e=%20g"))

    #expect(result.text == "hello")
  }

  @Test(arguments: [
    ("", ""), ("not json", ""), ("{}", "log: it is missing"),
    (#"{"log":{"version":"1.2","creator":{"name":"a"},"entries":[]}}"#, "log.creator.version"),
    (#"{"log":{"version":"1.2","entries":[{"request":{}}]}}"#, "log.entries[0].request.method"),
  ])
  func `refuses an invalid archive, with the place of its fault`(text: String, place: String) {
    let error = #expect(throws: FreshetError.self) { try ReplayTransport(Data(text.utf8)) }

    guard case .file(let reason, "archive") = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.hasPrefix("it is not an HTTP archive: \(place)"))
  }
}
