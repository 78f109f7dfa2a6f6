import Foundation
import Freshet

private func presetWrittenOut(
  request: Request,
  seeds: SeedStore,
  memory: MemoryStore,
  disk: DiskStore,
  transport: DefaultTransport,
  digest: SHA256Digest
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
