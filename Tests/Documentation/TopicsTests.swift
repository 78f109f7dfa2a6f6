import Foundation
import Testing

/// The front pages lead to every article and every public type.
@Suite struct TopicsTests {
  static let catalog = DocumentationTests.root.appending(path: "Sources/Freshet/Freshet.docc")

  static let frontPage =
    (try? String(contentsOf: catalog.appending(path: "Freshet.md"), encoding: .utf8)) ?? ""

  static let articles: [String] = {
    let files = try? FileManager.default.contentsOfDirectory(atPath: catalog.path)
    return (files ?? [])
      .filter { $0.hasSuffix(".md") && $0 != "Freshet.md" }
      .map { String($0.dropLast(3)) }
      .sorted()
  }()

  /// Those that only Apple platforms have, or a trait, cannot be linked to everywhere.
  static let onlyElsewhere: Set = [
    "OSLogSink", "URLSessionTransport", "RemoteImage", "RemoteImageContent", "RemoteImageView",
    "RemotePicture", "GTKMainLoop",
  ]

  static let types = publicTypes(in: "Freshet")
  static let imageTypes = publicTypes(in: "FreshetImages")
  static let modelTypes = publicTypes(in: "FreshetModels")

  private static func publicTypes(in module: String) -> [String] {
    let sources = DocumentationTests.root.appending(path: "Sources/\(module)")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    var types: Set<String> = []
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift",
        let text = try? String(contentsOf: file, encoding: .utf8)
      else { continue }
      let declaration =
        #/^public (?:final class|struct|enum|protocol|actor|typealias) (\w+)/#
        .anchorsMatchLineEndings()
      types.formUnion(text.matches(of: declaration).map { String($0.output.1) })
    }
    return types.subtracting(onlyElsewhere).sorted()
  }

  @Test func `there are articles and types`() {
    #expect(Self.articles.count >= 12)
    #expect(Self.types.count >= 90)
  }

  @Test(arguments: articles)
  func `an article is in the topics`(article: String) {
    #expect(Self.frontPage.contains("<doc:\(article)>"))
  }

  @Test(arguments: types)
  func `a public type is in the topics`(type: String) {
    #expect(Self.frontPage.contains("``\(type)``"), "add it to a topic of Freshet.md")
  }

  @Test(arguments: imageTypes)
  func `a public type of FreshetImages is in its topics`(type: String) throws {
    let page = DocumentationTests.root
      .appending(path: "Sources/FreshetImages/FreshetImages.docc/FreshetImages.md")

    #expect(try String(contentsOf: page, encoding: .utf8).contains("``\(type)``"))
  }

  @Test(arguments: modelTypes)
  func `a public type of FreshetModels is in its topics`(type: String) throws {
    let page = DocumentationTests.root
      .appending(path: "Sources/FreshetModels/FreshetModels.docc/FreshetModels.md")

    #expect(try String(contentsOf: page, encoding: .utf8).contains("``\(type)``"))
  }
}
