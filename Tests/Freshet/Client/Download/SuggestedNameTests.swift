import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// The names that responses suggest for files.
@Suite struct SuggestedNameTests {
  private static func name(
    _ disposition: String?,
    _ url: String = "http://a.example/"
  ) throws
    -> String
  {
    var headers: HTTPHeaders = [:]
    if let disposition { headers["Content-Disposition"] = disposition }
    let url = try #require(URL(string: url))
    return SuggestedName(ResponseHead(status: .ok, headers: headers, url: url)).text
  }

  @Test(arguments: [
    ("attachment; filename=film.mp4", "film.mp4"),
    (#"attachment; filename="my film.mp4""#, "my film.mp4"),
    (#"attachment; filename="a\"b.txt""#, #"a"b.txt"#),
    ("attachment; filename*=UTF-8''na%C3%AFve%20plan.txt", "naïve plan.txt"),
    ("attachment; filename=plain.txt; filename*=utf-8'en'better.txt", "better.txt"),
    ("attachment; filename*=latin'en'no.txt; filename=plain.txt", "plain.txt"),
    ("attachment; filename*=UTF-8''%FF; filename=plain.txt", "plain.txt"),
    ("inline; FILENAME = spaced.txt ", "spaced.txt"),
    (#"attachment; filename="a\"b;c.txt"; size=3"#, #"a"b;c.txt"#),
    (#"attachment; filename="open"#, "open"),
  ])
  func `takes the file name of Content-Disposition`(field: String, name: String) throws {
    #expect(try Self.name(field) == name)
  }

  @Test(arguments: [
    (#"attachment; filename="../../etc/passwd""#, "passwd"),
    (#"attachment; filename="/etc/passwd""#, "passwd"),
    (#"attachment; filename="..\\..\\boot.ini""#, "boot.ini"),
    ("attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", "passwd"),
    ("attachment; filename*=UTF-8''%00..%00%2Fa%0Ab", "ab"),
    (#"attachment; filename="..""#, "download"),
    (#"attachment; filename=".""#, "download"),
    (#"attachment; filename="/""#, "download"),
    (#"attachment; filename=".bashrc""#, "bashrc"),
    (#"attachment; filename=". . ./.x""#, "x"),
    ("attachment; filename*=UTF-8''txt.%E2%80%AEgpj.exe", "txt.gpj.exe"),
    ("attachment; filename=", "download"),
    ("attachment; filename*=UTF-8''%2F%E2%80%8D..%2F%E2%80%8D.bash_login", "bash_login"),
    ("attachment; filename*=UTF-8''%2F%E2%80%8C..%2F%E2%80%8Cx", "x"),
    ("attachment; filename*=UTF-8''.%CC%81x", "\u{301}x"),
  ])
  func `is one visible name for any header`(field: String, name: String) throws {
    #expect(try Self.name(field) == name)
  }

  @Test(arguments: [
    ("http://a.example/films/one.mp4?x=1", "one.mp4"),
    ("http://a.example/films/my%20film.mp4", "my film.mp4"),
    ("http://a.example/films/..%2F..%2Fpasswd", "passwd"),
    ("http://a.example/", "download"),
    ("http://a.example/%2e%2e%2f", "download"),
  ])
  func `is the last component of the URL by default`(url: String, name: String) throws {
    #expect(try Self.name(nil, url) == name)
  }

  @Test func `keeps the extension of a long name`() throws {
    let long = String(repeating: "ü", count: 300)
    let name = try Self.name("attachment; filename=\"\(long).tar.gz\"")

    #expect(name.utf8.count <= 200)
    #expect(name.hasSuffix("ü.gz"))
  }

  @Test(arguments: ["", ".txt"])
  func `a letter with more marks than a name can have is not left out`(suffix: String) throws {
    let marks = String(repeating: "%CC%81", count: 150)
    let name = try Self.name("attachment; filename*=UTF-8''a\(marks)\(suffix)")

    #expect(name.unicodeScalars.first == "a")
    #expect((190...200).contains(name.utf8.count))
    #expect(name.hasSuffix(suffix))
  }

  @Test func `puts a number before the extension`() {
    #expect(SuggestedName.numbered("film.mp4", 1) == "film.mp4")
    #expect(SuggestedName.numbered("film.mp4", 2) == "film (2).mp4")
    #expect(SuggestedName.numbered("README", 3) == "README (3)")
  }

  @Test func `a download into a directory replaces nothing and stays inside`() async throws {
    let sandbox = StoreSandbox()
    let server = try LoopbackServer()
    let outside = sandbox.url.appending(path: "outside")
    let directory = sandbox.url.appending(path: "directory")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    let answer = LoopbackServer.Answer.text("new")
    server.route(
      "/a",
      answer.headers(["Content-Disposition": #"attachment; filename="../outside""#])
    )
    server.route("/b", answer.headers(["Content-Disposition": "attachment; filename=link.txt"]))
    #expect(symlink(outside.path, directory.appending(path: "link.txt").path) == 0)
    let client = Client()

    var names: [String?] = []
    for path in ["/a", "/a", "/b"] {
      let resource = try await client.download(server.url(path), into: directory).value
      names.append(resource.body.fileURL?.lastPathComponent)
      #expect(resource.body.fileURL?.deletingLastPathComponent().path == directory.path)
    }

    #expect(names == ["outside", "outside (2)", "link (2).txt"])
    #expect(!FileManager.default.fileExists(atPath: outside.path))
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    #expect(files == ["link (2).txt", "link.txt", "outside", "outside (2)"])
  }
}
