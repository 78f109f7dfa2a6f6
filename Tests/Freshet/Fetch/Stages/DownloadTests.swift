import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite struct DownloadTests {
  let world = FetchWorld()

  private func chain(
    _ transport: ScriptedTransport,
    spool: Spool = .temporary
  ) throws -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    Fetch.request(try world.request).download(over: transport, spool: spool, now: world.now)
  }

  @Test func `a body that is announced to be too long is refused at its head`() async throws {
    let transport = ScriptedTransport { request in
      let body = request.method == .head ? Data() : Data("x".utf8)
      return ScriptedResponse(headers: [.contentLength: "999999999999"], body: body)
    }
    let client = Client { $0.transport = transport }
    var request = Request(try #require(URL(string: FetchWorld.url)))
    request.limits.bodyBytes = 1 << 20
    let failure = FreshetError.limitExceeded(.bodyBytes(1 << 20), url: FetchWorld.url)

    await #expect(throws: failure) { try await client.resource(request).value }
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    await #expect(throws: failure) { try await client.download(request, to: file).value }
    request.method = .head
    #expect(try await client.resource(request).value.body.length == 0)
  }

  @Test func `yields progress for each chunk and then the download`() async throws {
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(
        headers: [.contentLength: "6"],
        chunks: [Data("abc".utf8), Data("def".utf8)]
      )
    ])

    var progress: [TransferProgress] = []
    var downloaded: Fetch.Downloaded?
    for try await step in try chain(transport) {
      if case .progress(let step) = step { progress.append(step) }
      if case .downloaded(let step) = step { downloaded = step }
    }

    #expect(
      progress == [
        TransferProgress(completed: 3, total: 6), TransferProgress(completed: 6, total: 6),
      ]
    )
    #expect(try downloaded?.response.body.data() == Data("abcdef".utf8))
    #expect(downloaded?.change == .replaced)
  }

  @Test func `a HEAD needs no room for the body that it describes`() async throws {
    var request = try world.request
    request.method = .head
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(headers: [.contentLength: String(Int64(1) << 60)])
    ])

    let resource = try await Fetch.request(request).download(over: transport).settle().value

    #expect(resource.status == .ok)
    #expect(resource.body.length == 0)
  }

  @Test func `refuses a part that was not requested`() async throws {
    let headers: HTTPHeaders = [.contentRange: "bytes 0-4/10", .contentLength: "5"]
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(206, headers: headers, body: Data("hello".utf8))
    ])

    let error = await #expect(throws: FreshetError.self) {
      try await chain(transport).settle().value
    }

    #expect(error?.kind == "invalidResponse")
  }

  @Test(arguments: [
    ("bytes=10-19", "bytes 10-19/100", true), ("bytes=10-19", "bytes 10-14/15", true),
    ("bytes=10-19", "bytes 10-14/*", true), ("bytes=10-", "bytes 10-99/100", true),
    ("bytes=-5", "bytes 95-99/100", true), ("bytes=-5", "bytes 95-99/*", true),
    ("bytes=0-1,5-6", nil, true), ("lines=1-2", "lines 1-2/9", true),
    ("bytes=10-19", "bytes 0-9/100", false), ("bytes=10-19", "bytes 10-20/100", false),
    ("bytes=10-19", "bytes */100", false), ("bytes=10-19", "items 10-19/100", false),
    ("bytes=10-19", "bytes 10-19/5", false), ("bytes=10-19", nil, false),
    ("bytes=10-", "bytes 9-99/*", false), ("bytes=-5", "bytes 94-98/100", false),
  ])
  func `takes only a part of the range that was requested`(
    range: String,
    content: String?,
    isTaken: Bool
  ) async throws {
    var headers = HTTPHeaders()
    headers[.contentRange] = content
    let response = ScriptedResponse(206, headers: headers, body: Data("hello".utf8))
    let transport = ScriptedTransport { _ in response }
    let client = Client { $0.transport = transport }
    var request = try Request("http://a.example/film")
    request.headers[.range] = range

    let kind: String
    do throws(FreshetError) {
      kind = String(decoding: try await client.resource(request).value.data(), as: UTF8.self)
    } catch {
      kind = error.kind
    }

    #expect(kind == (isTaken ? "hello" : "invalidResponse"))
  }

  @Test func `an encoded body has no known total`() async throws {
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(
        headers: [.contentLength: "3", .contentEncoding: "gzip"],
        body: Data("abcdef".utf8)
      )
    ])

    var totals: [Int64?] = []
    for try await step in try chain(transport) {
      if case .progress(let progress) = step { totals.append(progress.total) }
    }

    #expect(totals == [nil])
  }

  @Test func `sends nothing before the iteration, and once for each iteration`() async throws {
    let transport = ScriptedTransport(sequence: [.text("one")])

    let chain = try chain(transport)
    #expect(transport.counts.started == 0)
    _ = try await chain.names
    _ = try await chain.names

    #expect(transport.counts.finished == 2)
  }

  @Test func `a body over the threshold goes to a file with the lifetime of the value`()
    async throws
  {
    let transport = ScriptedTransport(sequence: [.text("a long text")])
    try await TemporaryDirectory.scope { folder in
      let spool = Spool(directory: folder.file("spool"), threshold: 4)

      var resource: Resource? = try await chain(transport, spool: spool).settle().value

      let file = try #require(resource?.body.fileURL)
      #expect(try resource?.text == "a long text")
      #expect(FileManager.default.fileExists(atPath: file.path))
      resource = nil
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }
  }

  @Test(arguments: [404, 410, 500, 304])
  func `a status without a resource is an error with head and body`(
    status: Int
  ) async throws {
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(HTTPStatus(status), headers: ["X-A": "1"], body: Data("why".utf8))
    ])

    let error = await #expect(throws: FreshetError.self) { try await chain(transport).names }

    guard case .status(let head, let body)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(head.status.rawValue == status)
    #expect(head.headers["X-A"] == "1")
    #expect(body == Data("why".utf8))
  }

  @Test func `keeps at most 64 KiB of an error's body`() async throws {
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(500, chunks: Array(repeating: Data(count: 50_000), count: 3))
    ])

    let error = await #expect(throws: FreshetError.self) { try await chain(transport).names }

    guard case .status(_, let body)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(body.count == 64 * 1024)
  }

  @Test func `a broken connection is an error, and ends the sequence`() async throws {
    let transport = ScriptedTransport(sequence: [
      .text("abc").failing(with: .connection(.lost, url: FetchWorld.url), at: .afterChunks(1))
    ])

    var steps = try chain(transport).makeAsyncIterator()
    guard case .progress? = try await steps.next() else {
      Issue.record("no progress")
      return
    }
    do throws(FreshetError) {
      _ = try await steps.next(isolation: #isolation)
      Issue.record("no error")
    } catch {
      #expect(error.kind == "connection")
    }
    let end = try await steps.next(isolation: #isolation)
    #expect(end == nil)
  }

  @Test func `dropping the iteration cancels the transfer`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(chunks: [Data("abc".utf8), Data("def".utf8)])
        .waiting(for: gate, at: .afterChunks(1))
    ])

    for try await step in try chain(transport) {
      if case .progress = step { break }
    }

    await transport.counted { $0.cancelled == 1 }
  }

  @Test func `cancelling the task ends it with one error`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [.text("abc").waiting(for: gate)])
    let chain = try chain(transport)

    let task = Task { try await chain.names }
    await gate.waiting()
    task.cancel()

    let error = await #expect(throws: FreshetError.self) { try await task.value }
    #expect(error?.kind == "cancelled")
    await transport.counted { $0.cancelled == 1 }
  }

  @Test func `delivers chunks to a slow reader one by one`() async throws {
    let chunks = (0..<100).map { Data([UInt8($0)]) }
    let transport = ScriptedTransport(sequence: [ScriptedResponse(chunks: chunks)])

    var completed: [Int64] = []
    var data: Data?
    for try await step in try chain(transport) {
      if case .progress(let progress) = step { completed.append(progress.completed) }
      if case .downloaded(let step) = step { data = try step.response.body.data() }
      for _ in 0..<10 { await Task.yield() }
    }

    #expect(completed == Array(1...100))
    #expect(data == Data(0..<100))
  }
}
