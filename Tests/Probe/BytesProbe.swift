import Foundation
import Freshet
import FreshetTesting

/// Reads random ranges of a resource through a disk store until it is killed, and tells of each, `read SEED START END`.
///
/// The resource is ``GeneratedBytes`` of seed 1 or 2: a reading that is of neither is a failure.
struct BytesProbe {
  let url: URL
  let store: URL
  let seed: UInt64
  let length: Int64

  func run() async throws {
    var generator = SeededGenerator(seed: seed)
    let versions = (1...2).map { GeneratedBytes(length: length, seed: $0) }
    let disk = DiskStore(directory: store)
    let client = Client {
      $0.disk = disk
      $0.memory = nil
    }
    let bytes = client.bytes(at: url)
    _ = try await bytes.length
    for count in 1... {
      let start = Int64.random(in: 0..<length, using: &generator)
      let end = min(length, start + .random(in: 1..<600_000, using: &generator))
      let data = try await bytes.read(start..<end)
      guard let version = versions.first(where: { $0.bytes(in: start..<end) == data }) else {
        CrashProbe.fail("the bytes from \(start) to \(end) are of no version")
      }
      FileHandle.standardOutput.write(Data("read \(version.seed) \(start) \(end)\n".utf8))
      // Only after some ranges, so that a slow machine reads them, too.
      if count == 2 { CrashProbe.dieIn(.random(in: 5_000..<200_000, using: &generator)) }
    }
  }
}
