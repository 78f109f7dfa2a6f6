//: # Bytes by range
//: A player, a map or an archive reader needs some bytes of a large file: those come, and are kept.
import Foundation
import Freshet
import FreshetTesting

func show(_ origin: LoopbackServer, _ film: GeneratedBytes, _ folder: URL) async throws {
  let client = Client { $0.disk = DiskStore(directory: folder) }
  let bytes = client.bytes(at: origin.url("/film")) { $0.readAhead = 0 }

  //: One block tells how long the film is; the end of it is another.
  let end = try await bytes.length
  print("length", end)
  print("end is right:", try await bytes.read(end - 10..<end) == film.bytes(in: end - 10..<end))
  print("requests", origin.requests.compactMap { $0.headers[.range] })

  //: A stream of a range comes block by block.
  var count = 0
  for try await chunk in bytes.chunks(in: 100..<600_000) { count += chunk.count }
  print("streamed", count)

  //: The next launch finds what is there on the disk.
  let before = origin.requestCount
  let later = Client { $0.disk = DiskStore(directory: folder) }
  let start = try await later.bytes(at: origin.url("/film")).read(0..<500_000)
  print("later", start == film.bytes(in: 0..<500_000), origin.requestCount - before, "requests")
}

do {
  let film = GeneratedBytes(length: 40_000_000, seed: 1)
  let answer = LoopbackServer.Answer.generated(film, eTag: "\"v1\"", cacheControl: "max-age=60")
  let origin = try LoopbackServer(["/film": answer])
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await show(origin, film, folder)
  await origin.stop()
} catch {
  print("failed:", error)
}

//: [Next](@next)
