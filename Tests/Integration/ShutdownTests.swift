#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ShutdownTests {
  @Test func `ten thousand fetches leave no descriptor, thread or memory after a shutdown`()
    async throws
  {
    let server = try LoopbackServer([
      "/x": .text("hello").headers([.cacheControl: "max-age=3600"])
    ])
    let folder = try TemporaryDirectory()
    let probe = try ProbeProcess(
      "shutdown",
      server.url("/x").absoluteString,
      folder.url.path,
      "10000"
    )

    #expect(try await probe.number("refused") == 1)
    #expect(try await probe.number("descriptors") == 0)
    #expect(try await probe.number("threads") == 0)
    // Less than forty bytes a fetch: what tables that have grown keep.
    #expect(try #require(try await probe.number("memory")) < 400_000)
    #expect(try await probe.end() == 0)
    #expect(server.requests.count >= 10_000)
    await server.stop()
  }
}
#endif
