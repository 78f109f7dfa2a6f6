import Foundation
import FreshetTesting
import Testing

@Suite struct TemporaryDirectoryTests {
  @Test func `is removed with its content`() throws {
    var directory: TemporaryDirectory? = try TemporaryDirectory()
    let file = try #require(directory?.file("a"))
    try Data("a".utf8).write(to: file)

    directory = nil

    #expect(!FileManager.default.fileExists(atPath: file.path))
    #expect(!FileManager.default.fileExists(atPath: file.deletingLastPathComponent().path))
  }

  @Test func `lives as long as its scope, failures included`() async throws {
    var url: URL?

    await #expect(throws: CancellationError.self) {
      try await TemporaryDirectory.scope { directory in
        url = directory.url
        #expect(FileManager.default.fileExists(atPath: directory.url.path))
        throw CancellationError()
      }
    }

    #expect(!FileManager.default.fileExists(atPath: try #require(url).path))
  }
}
