import Foundation
import Freshet
import FreshetTesting
import Testing

private func presetWrittenOut(
  request: Request,
  seeds: SeedStore,
  memory: MemoryStore,
  disk: DiskStore,
  transport: DefaultTransport,
  digest: SHA256Checksum
) {
  let logo = Fetch.request(request)
    .lookup(in: seeds)
    .lookup(in: memory)
    .lookup(in: disk)
    .checkExpiry(.http)
    .announceStale(.whenAllowed)
    .revalidate(.conditional, over: transport)
    .download(over: transport)
    .verify(.sha256(digest))
    .persist(in: disk)
    .persist(in: memory)
    .settle()
  _ = logo
}

private func printing(_ caches: URL, _ url: URL) {
  func print(_ item: Any) { Printed.add([item]) }
  let client = Client { $0.disk = DiskStore(directory: caches) }
  print(client.resource(at: url))
}

@Suite struct PrintedPipelineTests {
  @Test func `a preset prints as its article says`() async throws {
    let directory = try TemporaryDirectory()
    let url = try #require(URL(string: "https://example.org/logo.png"))

    let lines = try await Printed.lines { printing(directory.url, url) }

    #expect(lines == (try Printed.lines(inArticle: "HowAPipelineWorks")))
  }
}
