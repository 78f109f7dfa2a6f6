import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@Suite struct GzipTests {
  /// What the system's own gunzip makes of it.
  private func gunzip(_ data: Data) async throws -> Data {
    let run = try await ProgramRun("/bin/sh", ["-c", "exec gzip -dc"], input: data)
    try #require(run.status == 0)
    return run.output
  }

  @Test(arguments: [0, 1, 1_000, 64 << 10, (64 << 10) + 1, 5 << 20])
  func `gunzip restores the bytes`(count: Int) async throws {
    var random = SplitMix(seed: UInt64(count))
    let data = Data(
      (0..<count).map { UInt8(truncatingIfNeeded: random.next() & 0x0F) + UInt8($0 & 3) }
    )

    let compressed = try await collect(RequestBody.bytes(data).gzipped())

    #expect(try await gunzip(compressed).elementsEqual(data))
    #expect(count < 1_000 || compressed.count < data.count)
  }

  @Test func `keeps bytes that do not compress`() async throws {
    var random = SplitMix(seed: 5)
    let data = Data((0..<300_000).map { _ in UInt8(truncatingIfNeeded: random.next()) })

    #expect(try await gunzip(collect(RequestBody.bytes(data).gzipped())).elementsEqual(data))
  }

  @Test func `keeps media type and replay, without a length`() async throws {
    let body = RequestBody.text("x").gzipped()

    #expect(body.contentType == .plainText)
    #expect(body.length == nil)
    #expect(body.isReplayable)
    #expect(try await collect(body) == collect(body))
  }

  @Test func `compresses a file, and fails as the file does`() async throws {
    let folder = try TemporaryDirectory()
    let data = Data(String(repeating: "fresh ", count: 50_000).utf8)
    try data.write(to: folder.file("data"))

    let compressed = try await collect(RequestBody.file(folder.file("data")).gzipped())

    #expect(compressed.count < data.count)
    #expect(try await gunzip(compressed).elementsEqual(data))

    let body = RequestBody.file(folder.file("missing")).gzipped()
    let error = await #expect(throws: FreshetError.self) { try await collect(body) }
    #expect(error?.kind == "file")
  }

  @Test func `a compressed request names its encoding`() throws {
    var request = try Request(.put, "https://a.org/")
    request.body = .text("x")
    request.headers[.contentLength] = "1"

    let compressed = request.compressed()

    #expect(compressed.headers[.contentEncoding] == "gzip")
    #expect(compressed.headers[.contentLength] == nil)
    #expect(compressed.body?.length == nil)
    try compressed.validate()
  }

  @Test func `compresses nothing twice, and nothing empty`() throws {
    var request = try Request(.put, "https://a.org/")

    #expect(!request.compressed().headers.contains(.contentEncoding))
    request.body = .text("x")
    request.headers[.contentEncoding] = "br"
    #expect(request.compressed().headers[values: .contentEncoding] == ["br"])
    #expect(request.compressed().body?.length == 1)
  }

  @Test func `ends as cancelled when its task is`() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await collect(RequestBody.text("x").gzipped())
    }

    let error = await #expect(throws: FreshetError.self) { try await task.value }

    #expect(error?.kind == "cancelled")
  }
}
