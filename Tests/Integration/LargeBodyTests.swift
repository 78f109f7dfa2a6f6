import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// The figures of a 300 MiB body, in a process of its own.
@Suite(.serialized) struct LargeBodyTests {
  static let size: Int64 = 300 << 20
  /// The whole process is to stay below 40 MiB, of which an empty one has 25 in libraries.
  static let limitKiB = Sanitizer.isOn ? 400 << 10 : 15 << 10

  @Test func `a slow reader slows the server down and holds no more than the window`() async throws
  {
    let server = try LoopbackServer([
      "/large": .generated(GeneratedBytes(length: Self.size, seed: 1))
    ])
    let probe = try ProbeProcess("paced", server.url("/large").absoluteString)

    for mebibyte in 1...Int(Self.size >> 20) {
      #expect(try await probe.number("MiB") == mebibyte)
      if mebibyte == 8 {
        await server.blocked(path: "/large")
        let ahead = server.bytesWritten(path: "/large") - Int64(mebibyte) << 20
        // The window, one read of libcurl, and the kernel's buffers on both sides.
        #expect(ahead < 16 << 20)
      }
      try probe.goOn()
    }

    #expect(try await probe.number("bytes") == Int(Self.size))
    #expect(try #require(try await probe.number("peak")) < Self.limitKiB)
    #expect(try await probe.end() == 0)
    await server.stop()
  }

  @Test func `a large body goes to a file and never into memory`() async throws {
    let bytes = GeneratedBytes(length: Self.size, seed: 2)
    let server = try LoopbackServer(["/large": .generated(bytes, cacheControl: "max-age=3600")])
    try await TemporaryDirectory.scope { folder in
      let file = folder.file("body")

      let probe = try ProbeProcess(
        "file",
        server.url("/large").absoluteString,
        folder.file("store").path,
        file.path
      )

      #expect(try #require(try await probe.number("peak")) < Self.limitKiB)
      #expect(try await probe.end() == 0)
      let body = try FileHandle(forReadingFrom: file)
      #expect(try body.seekToEnd() == UInt64(Self.size))
      let middle = Self.size / 2..<Self.size / 2 + 4096
      try body.seek(toOffset: UInt64(middle.lowerBound))
      #expect(try body.read(upToCount: 4096) == bytes.bytes(in: middle))
    }
    await server.stop()
  }
}
