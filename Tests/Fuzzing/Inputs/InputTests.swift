import Foundation
import Testing

/// The inputs that the fuzzer has found or begun with, each a test of its own; what holds of them is
/// what the fuzzer checks.
@Suite(.timeLimit(.minutes(5))) struct InputTests {
  private static let corpus = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Corpus")

  static let targets = FuzzTarget.all.map(\.name)

  @Test(arguments: targets)
  func `reads every collected input correctly`(name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    let folder = Self.corpus.appending(path: name)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!files.isEmpty)

    for file in files.sorted() {
      let bytes = try [UInt8](Data(contentsOf: folder.appending(path: file)))
      #expect(throws: Never.self, "\(name)/\(file)") { try target.check(bytes) }
    }
  }

  @Test(arguments: targets)
  func `reads every initial input of the fuzzer`(name: String) throws {
    let target = try #require(FuzzTarget.named(name))

    for seed in target.seeds {
      #expect(throws: Never.self, "\(seed)") { try target.check(target.bytes(of: seed)) }
    }
  }

  @Test func `each target has a folder of inputs`() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)

    #expect(folders.sorted() == Self.targets.sorted())
  }
}
