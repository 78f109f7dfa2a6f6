import Foundation
import Testing

@testable import Freshet

@Suite struct ResourceBodyTests {
  let sandbox = StoreSandbox()

  enum Place: CaseIterable {
    case memory
    case file
  }

  private func body(_ bytes: Data, in place: Place) throws -> ResourceBody {
    guard place == .file else { return ResourceBody(bytes) }
    let url = sandbox.url.appendingPathComponent("body")
    try bytes.write(to: url)
    return ResourceBody(try BodyFile(opening: url))
  }

  @Test(arguments: Place.allCases)
  func `chunks are the bytes in order, and each iterator starts from the beginning`(
    place: Place
  ) async throws {
    let bytes = noise(1_000)
    let chunks = try body(bytes, in: place).chunks(ofCount: 300)

    for _ in 0..<2 {
      var sizes: [Int] = []
      var all = Data()
      for try await chunk in chunks {
        sizes.append(chunk.count)
        all += chunk
      }
      #expect(sizes == [300, 300, 300, 100])
      #expect(all == bytes)
    }
  }

  @Test(arguments: Place.allCases)
  func `chunks have 256 KiB by default`(place: Place) async throws {
    var iterator = try body(noise(300_000), in: place).chunks.makeAsyncIterator()

    #expect(try await iterator.next()?.count == 262_144)
    #expect(try await iterator.next()?.count == 300_000 - 262_144)
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }

  @Test(arguments: Place.allCases)
  func `an empty body has no chunks`(place: Place) async throws {
    var iterator = try body(Data(), in: place).chunks.makeAsyncIterator()

    #expect(try await iterator.next() == nil)
  }

  @Test func `a file that was shortened ends its chunks with one failure`() async throws {
    let body = try body(noise(1_000), in: .file)
    truncate(try #require(body.fileURL).path, 500)
    var iterator = body.chunks(ofCount: 400).makeAsyncIterator()

    #expect(try await iterator.next()?.count == 400)
    await #expect(throws: FreshetError.self) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func `a file stays readable after it was unlinked`() throws {
    let body = try body(noise(1_000), in: .file)
    unlink(try #require(body.fileURL).path)

    #expect(try body.data() == noise(1_000))
  }

  @Test(arguments: Place.allCases)
  func `writing replaces the destination and leaves no other file`(place: Place) throws {
    let target = sandbox.url.appendingPathComponent("out/copy")
    let folder = target.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("old".utf8).write(to: target)

    try body(noise(3_000_000), in: place).write(to: target)

    #expect(try Data(contentsOf: target) == noise(3_000_000))
    #expect(sandbox.files(in: "out") == ["copy"])
  }

  @Test(arguments: [0, 1])
  func `a copy of a file ends with the piece in which it is cancelled`(pieces: Int) throws {
    let url = sandbox.url.appendingPathComponent("body")
    try Data().write(to: url)
    truncate(url.path, 130 << 20)
    let output = try ReplacementFile(for: sandbox.url.appendingPathComponent("copy").path)
    var asked = 0

    #expect(throws: FreshetError.cancelled) {
      try ResourceBody(BodyFile(opening: url))
        .copy(to: output.file) {
          asked += 1
          return asked > pieces
        }
    }

    #expect(try output.file.status().st_size <= pieces * (64 << 20))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/shm")))
  func `copies a file where the kernel cannot`() throws {
    let target = URL(fileURLWithPath: "/dev/shm/freshet-\(UUID().uuidString)")
    defer { unlink(target.path) }

    try body(noise(3_000_000), in: .file).write(to: target)

    #expect(try Data(contentsOf: target) == noise(3_000_000))
  }

  @Test(arguments: Place.allCases)
  func `a failed write leaves the destination and no other file`(place: Place) throws {
    let target = sandbox.url.appendingPathComponent("out/directory")
    let inner = target.appendingPathComponent("file")
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    try Data("kept".utf8).write(to: inner)
    let body = try body(noise(10), in: place)

    #expect(throws: FreshetError.self) { try body.write(to: target) }

    #expect(sandbox.files(in: "out") == ["directory/file"])
  }

  @Test(arguments: Place.allCases)
  func `the digest is the same for memory and files`(place: Place) throws {
    let bytes = noise(700_000)

    #expect(try body(bytes, in: place).sha256() == SHA256Hasher.digest(of: bytes))
  }

  @Test func `refuses to load more than the limit`() throws {
    let body = try body(noise(11), in: .file)

    #expect(throws: FreshetError.self) { try body.data(limit: 10) }
  }
}
