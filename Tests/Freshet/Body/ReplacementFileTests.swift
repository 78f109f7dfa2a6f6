import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

@Suite struct ReplacementFileTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try Data("old".utf8).write(to: folder.file("name"))
  }

  private var path: String { folder.file("name").path }

  private var content: String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path) }
  }

  @Test(arguments: [false, true])
  func `a reader sees the old file until the new one is complete`(survivesPower: Bool) throws {
    let replacement = try ReplacementFile(for: path)
    try replacement.file.write(Data("ne".utf8))
    #expect(content == "old")
    try replacement.file.write(Data("w".utf8))
    try replacement.commit(survivesPower: survivesPower)

    #expect(content == "new")
    #expect(try names == ["name"])
  }

  #if !canImport(Darwin)
  @Test func `a complete file is put in place without a free descriptor`() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryDirectory()
      let path = folder.file("name").path
      let replacement = try ReplacementFile(for: path)
      try replacement.file.write(Data("new".utf8))

      let isFull = await Scarcity.leaving(0) {
        (try? replacement.commit()) != nil && open(path, O_RDONLY) < 0 && errno == EMFILE
      }

      let content = FileManager.default.contents(atPath: path)
      exit(isFull && content == Data("new".utf8) ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }
  #endif

  @Test func `a file that is not put in place is removed`() throws {
    var replacement: ReplacementFile? = try ReplacementFile(for: path)
    try replacement?.file.write(Data("new".utf8))
    #expect(try names.count == 2)
    replacement = nil

    #expect(content == "old")
    #expect(try names == ["name"])
  }

  @Test func `a link is replaced, and its target is left`() throws {
    let link = folder.file("link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    let replacement = try ReplacementFile(for: link)
    try replacement.commit()

    #expect(content == "old")
    #expect(FileManager.default.contents(atPath: link) == Data())
  }

  @Test func `a failure names the file to replace`() throws {
    let missing = folder.file("missing").appendingPathComponent("name").path
    let failure = #expect(throws: FileFailure.self) { try ReplacementFile(for: missing) }
    #expect(failure?.path == missing)

    let occupied = folder.file("occupied")
    try FileManager.default.createDirectory(at: occupied, withIntermediateDirectories: false)
    let replacement = try ReplacementFile(for: occupied.path)
    let refusal = #expect(throws: FileFailure.self) { try replacement.commit() }
    #expect(refusal?.path == occupied.path)
  }

  @Test func `what is no file is left in its place`() throws {
    let pipe = folder.file("pipe").path
    try #require(mkfifo(pipe, 0o600) == 0)

    #expect(throws: FreshetError.self) {
      try ResourceBody(Data("new".utf8)).write(to: folder.file("pipe"))
    }

    var status = stat()
    #expect(lstat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    #expect(try Set(names) == ["name", "pipe"])
  }

  @Test func `the next replacement removes what an ended process has left`() throws {
    var killed: ReplacementFile? = try ReplacementFile(for: path)
    let left = try #require(try names.first { $0 != "name" })
    killed = nil
    #expect(killed == nil)
    try Data("left".utf8).write(to: folder.file(left))

    let replacement = try ReplacementFile(for: path)
    try replacement.file.write(Data("new".utf8))
    try replacement.commit()

    #expect(content == "new")
    #expect(try names == ["name"])
  }

  @Test func `a long name without room for a longer one beside it is replaced`() throws {
    let limit = 4_095
    var deep = folder.url
    while limit - deep.path.utf8.count > 400 {
      deep.appendPathComponent(String(repeating: "d", count: 200), isDirectory: true)
      try #require(mkdir(deep.path, 0o700) == 0)
    }
    let room = limit - deep.path.utf8.count - 1
    deep.appendPathComponent(String(repeating: "e", count: room - 141), isDirectory: true)
    try #require(mkdir(deep.path, 0o700) == 0)
    let file = deep.appendingPathComponent(String(repeating: "n", count: 140), isDirectory: false)

    try ResourceBody(Data("new".utf8)).write(to: file)

    #expect(try OpenFile(file.path, O_RDONLY).read(at: 0, count: 4) == Data("new".utf8))
  }

  @Test func `two replacements at the same time do not disturb each other`() throws {
    let (first, second) = (try ReplacementFile(for: path), try ReplacementFile(for: path))
    try first.file.write(Data("first".utf8))
    try second.file.write(Data("second".utf8))

    try first.commit()
    #expect(content == "first")
    try second.commit()
    #expect(content == "second")
    #expect(try names == ["name"])
  }

  @Test func `what an ended process has left is seen by a sweep`() throws {
    let replacement = try ReplacementFile(for: path)
    #expect(DirectoryEntry.names(in: folder.url.path).count == 2)
    withExtendedLifetime(replacement) {}
  }
}
