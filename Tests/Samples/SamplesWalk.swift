import Foundation
import Freshet
import FreshetTesting
import Testing

private func walking(_ folder: URL, _ url: URL) async throws {
  func print(_ item: Any) { Printed.add([item]) }
  func shown() async throws {
    let client = Client {
      $0.memory = MemoryStore()
      $0.disk = DiskStore(directory: folder)
    }
    let logo = try await client.resource(at: url).value
    _ = logo
  }
  try await shown()
  let client = Client { $0.disk = DiskStore(directory: folder.appending(path: "two")) }
  print(client.chain(for: Request(url)))
  let logo = try await client.resource(at: url).value
  print(logo.explanation)
}

/// The page that walks through a first download does so along files that exist, in the order in which it happens.
@Suite struct WalkTests {
  private static let page = "AFirstDownload"

  @Test func `prints the chain and the decisions of the page`() async throws {
    let directory = try TemporaryDirectory()
    let server = try LoopbackServer([
      "/logo.png": .content(Data(count: 4_096), type: "image/png", cacheControl: "max-age=60")
    ])

    let lines = try await Printed.lines {
      try await walking(directory.url, server.url("/logo.png"))
    }

    #expect(lines == (try Printed.lines(inArticle: Self.page)))
  }

  @Test func `names files that exist`() throws {
    let page = Printed.root
      .appending(path: "Sources/Freshet/Freshet.docc/\(Self.page).md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let files = text.matches(of: #/`([A-Z][A-Za-z+/]*\.swift)`/#).map { String($0.1) }

    #expect(files.count > 25)
    for file in Set(files) where file.contains("/") || file == "Client.swift" {
      let path = Printed.root.appending(path: "Sources/Freshet/\(file)").path
      #expect(FileManager.default.fileExists(atPath: path), "\(file)")
    }
  }
}
