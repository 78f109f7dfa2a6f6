#if canImport(Darwin)
import Foundation
import FreshetTesting
import Testing

@testable import Freshet

@Suite(.timeLimit(.minutes(5))) struct URLSessionTransportTests {
  @Test(arguments: [6, nil] as [Int64?])
  func `sends the chunks of a body`(length: Int64?) async throws {
    let server = try LoopbackServer(["/": .echo])
    let body = RequestBody.stream(length: length) {
      AsyncThrowingStream<Data, any Error> { continuation in
        for text in ["one", "two"] { continuation.yield(Data(text.utf8)) }
        continuation.finish()
      }
    }

    let answer = await URLSessionTransport().answer(Request(.post, server.url("/"), body: body))

    #expect(answer.error == nil)
    #expect(answer.text.contains("onetwo"))
  }

  @Test(arguments: [nil, .seconds(3_600)] as [Duration?])
  func `the time without bytes behind a head does not depend on the time for the head`(
    firstByte: Duration?
  ) async throws {
    let server = try LoopbackServer(["/": .content(Data(count: 65_536)).stalled(after: 65_000)])
    var request = Request(server.url("/"))
    request.timeouts.firstByte = firstByte
    request.timeouts.idle = .milliseconds(200)

    let answer = await URLSessionTransport().answer(request)

    #expect(answer.head?.status == .ok)
    #expect(answer.error == .timedOut(.idle, url: server.url("/").absoluteString))
  }

  @Test func `a body whose end cancels the reader stops no thread`() async throws {
    let gate = Gate()
    let server = try LoopbackServer(["/": .text("").delayed(until: gate)])
    let reading = Watched<Task<FreshetError?, Never>?>(nil)
    let (chunks, source) = AsyncThrowingStream<Data, any Error>.makeStream()
    source.onTermination = { _ in reading.read { $0 }?.cancel() }
    var request = Request(.post, server.url("/"), body: .stream { chunks })
    request.timeouts.total = .milliseconds(200)

    let task = Task { [request] in await URLSessionTransport().answer(request).error }
    reading.update { $0 = task }

    #expect(await task.value != nil)
    source.finish()
  }

  @Test func `a response whose parts replace each other fails at the second one`() async throws {
    let part = "--b\r\nContent-Type: image/png\r\n\r\nbytes\r\n"
    let server = try LoopbackServer([
      "/": .raw(
        "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n"
          + "Connection: close\r\n\r\n\(part)\(part)--b--\r\n"
      )
    ])

    let answer = await URLSessionTransport().answer(Request(server.url("/")))

    #expect(answer.error?.kind == "invalidResponse")
  }

  @Test func `a directory is no body`() async throws {
    let folder = FileManager.default.temporaryDirectory
    let url = try #require(URL(string: "http://localhost:1/"))

    let answer = await URLSessionTransport().answer(Request(.put, url, body: .file(folder)))

    #expect(answer.error?.kind == "file")
  }

  @Test func `a file is sent as a body of its length`() async throws {
    let server = try LoopbackServer(["/": .echo])
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data("onetwo".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }

    let request = Request(.put, server.url("/"), body: .file(file))
    let answer = await URLSessionTransport().answer(request)

    #expect(answer.error == nil)
    #expect(answer.text.contains("onetwo"))
  }

  @Test func `a body that nobody reads ends with its request`() async throws {
    let url = try #require(URL(string: "http://host.invalid/"))
    let (ended, continuation) = AsyncStream<Void>.makeStream()
    let body = RequestBody.stream {
      AsyncThrowingStream<Data, any Error> { chunks in
        chunks.onTermination = { _ in continuation.finish() }
        chunks.yield(Data(count: 200_000))
      }
    }

    let answer = await URLSessionTransport().answer(Request(.post, url, body: body))

    #expect(answer.error != nil)
    for await _ in ended {}
  }
}
#endif
