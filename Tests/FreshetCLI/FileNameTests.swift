import Foundation
import Testing

@testable import FreshetCLI

@Suite struct FileNameTests {
  @Test(arguments: [
    ("https://a.example/b/report.pdf?x=/y#z", "report.pdf"),
    ("https://a.example/My%20File.txt", "My File.txt"),
    ("https://a.example/", "index.html"),
    ("https://a.example", "index.html"),
    ("https://a.example/b/", "index.html"),
    ("https://a.example/..%2F..%2Fetc%2Fpasswd", "passwd"),
    ("https://a.example/%2e%2e", "index.html"),
    ("https://a.example/.bashrc", "_bashrc"),
    ("https://a.example/a%00b", "a_b"),
    ("https://a.example/%E2%80%AEcod.exe", "_cod.exe"),
    ("https://a.example/na%C3%AFve", "naïve"),
    ("https://a.example/%FF", "%FF"),
  ])
  func `a URL names a file in the folder`(url: String, name: String) throws {
    #expect(FileName.of(try #require(URL(string: url))) == name)
  }

  @Test(
    arguments: [
      ("../../x.txt", "x.txt"), ("/etc/passwd", "passwd"), ("..\\..\\x.txt", "x.txt"),
      ("C:x", "C_x"),
      (".ssh", "_ssh"), ("a\r\nb", "a__b"), ("a\u{1B}[2Jb", "a_[2Jb"), (" x ", "x"),
      ("a\u{2215}b", "a_b"), ("x/", nil), ("..", nil), ("", nil), (".", nil), ("___", nil),
      ("/", nil),
    ] as [(String, String?)]
  )
  func `a server's suggestion is a plain name or none`(text: String, name: String?) {
    #expect(FileName.safe(text) == name)
  }

  @Test func `a long character neither hides a name nor leaves it empty`() {
    let long = "a" + String(repeating: "\u{301}", count: 50_000)
    for text in [long + ".bash_profile", long, ".\u{301}x"] {
      let name = FileName.safe(text)
      #expect(name?.utf8.first != UInt8(ascii: "."))
      #expect(name.map { 1...FileName.byteLimit ~= $0.utf8.count } == true)
    }
  }

  @Test(arguments: [0, 1, 2, 3])
  func `a long name is cut and keeps its extension`(extra: Int) throws {
    let long = String(repeating: "ü", count: 200) + String(repeating: "x", count: extra) + ".tar.gz"
    let name = try #require(FileName.safe(long))

    #expect(name.utf8.count <= 255 && name.utf8.count > 250)
    #expect(name.hasSuffix(".gz"))
    #expect(FileName.numbered(name, 17).utf8.count <= 255)
    #expect(FileName.numbered(name, 17).hasSuffix("-17.gz"))
  }

  @Test func `any text is one component of a path`() {
    var generator = SystemRandomNumberGenerator()
    let pieces = ["..", "/", "\\", ".", "a", "%2F", "\u{0}", "\n", "é", "\u{2215}", "~", "-", " "]
    for _ in 0..<2_000 {
      let text = (0..<Int.random(in: 0...8, using: &generator))
        .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
      guard let name = FileName.safe(text) else { continue }
      #expect(!name.contains("/") && !name.contains("\\") && !name.hasPrefix("."), "\(text)")
      #expect(!name.isEmpty && !name.utf8.contains { $0 < 0x20 }, "\(text)")
    }
  }
}
