import Foundation
import Freshet

private func firstSample(caches: URL, url: URL) async throws {
  let client = Client { $0.disk = DiskStore(directory: caches) }

  for try await event in client.resource(at: url) {
    switch event {
    case .progress(let progress): print("\(progress.completed) bytes")
    case .value(let resource): print(resource.source, resource.freshness)
    }
  }
}

private func whatIsThere(client: Client, url: URL) async throws {
  let resource =
    try await client.resource(at: url, policy: ResourcePolicy { $0.stale = .beforeValidation })
    .first
  print(resource.isFinal)
}

private func writtenOut(
  memory: MemoryStore,
  disk: DiskStore,
  transport: DefaultTransport,
  digest: SHA256Checksum
) throws {
  let logo = Fetch.request(try Request("https://example.org/logo.png"))
    .lookup(in: memory)
    .lookup(in: disk)
    .checkExpiry(.http)
    .announceStale()
    .revalidate(.conditional, over: transport)
    .download(over: transport)
    .verify(.sha256(digest))
    .persist(in: disk)
    .persist(in: memory)
    .settle()
  _ = logo
}
