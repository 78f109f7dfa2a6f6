import Foundation
import Testing

@testable import Freshet

@Suite struct SpoolTests {
  let sandbox = StoreSandbox()

  private func spool(threshold: Int) -> Spool {
    Spool(directory: sandbox.url.appendingPathComponent("spool"), threshold: threshold)
  }

  @Test func `keeps a small body in memory without a file`() throws {
    let writer = try SpoolWriter(spool(threshold: 10))
    try writer.append(Data("0123456".utf8))
    try writer.append(Data("789".utf8))
    let (body, digest) = try writer.finish()

    #expect(body.fileURL == nil)
    #expect(try body.data() == Data("0123456789".utf8))
    #expect(digest == nil)
    #expect(
      try body.sha256().hex == "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"
    )
    #expect(sandbox.files().isEmpty)
  }

  @Test func `an announced length reserves a bounded amount of memory`() throws {
    let writer = try SpoolWriter(spool(threshold: .max), expectedLength: .max)
    try writer.append(Data("wa".utf8))
    try writer.append(Data("ter".utf8))

    #expect(try writer.finish().body.data() == Data("water".utf8))
  }

  @Test(arguments: [true, false])
  func `spills a larger body into a private file, in order, and hashes it on request`(
    isWanted: Bool
  ) throws {
    let bytes = noise(100_000)
    let writer = try SpoolWriter(spool(threshold: 10_000), needsSHA256: isWanted)
    for start in stride(from: 0, to: bytes.count, by: 7_000) {
      try writer.append(bytes[start..<min(start + 7_000, bytes.count)])
    }
    let (body, digest) = try writer.finish()

    let url = try #require(body.fileURL)
    let directory = url.deletingLastPathComponent()
    #expect(try body.data().elementsEqual(bytes))
    #expect(digest == (isWanted ? SHA256Hasher.digest(of: bytes) : nil))
    #expect(try body.sha256() == SHA256Hasher.digest(of: bytes))
    #expect(try mode(url) == 0o600)
    #expect(try mode(directory) == 0o700)
  }

  @Test func `a finished file is removed with the last value that refers to it`() throws {
    var body: ResourceBody? = try spilled(noise(5_000))
    let copy = body
    body = nil

    #expect(sandbox.files(in: "spool").count == 1)
    withExtendedLifetime(copy) {}
    dropAll(body, copy)
  }

  private func dropAll(_ bodies: ResourceBody?...) {}

  @Test func `the last value removes everything`() throws {
    #expect(try spilled(noise(5_000)).length == 5_000)
    #expect(sandbox.files(in: "spool").isEmpty)
  }

  @Test func `dropping an unfinished writer removes its file`() throws {
    do {
      let writer = try SpoolWriter(spool(threshold: 1))
      try writer.append(Data("more than one".utf8))
      #expect(sandbox.files(in: "spool").count == 1)
    }
    #expect(sandbox.files(in: "spool").isEmpty)
  }

  @Test func `the sweep removes files of ended processes and spares files in use`() throws {
    let spool = spool(threshold: 1)
    let writer = try SpoolWriter(spool)
    try writer.append(Data("unfinished".utf8))
    let finished = try spilled(noise(100))
    let abandoned = SpoolFile.place(in: spool.directory)
    let foreign = ["notes.txt", "notes.spool"].map { spool.directory.appendingPathComponent($0) }
    try Data("left".utf8).write(to: abandoned)
    for file in foreign { try Data("mine".utf8).write(to: file) }

    #expect(try spool.sweep() == 1)

    #expect(sandbox.files(in: "spool").count == 4)
    #expect(!FileManager.default.fileExists(atPath: abandoned.path))
    #expect(foreign.allSatisfy { FileManager.default.fileExists(atPath: $0.path) })
    #expect(try finished.data() == noise(100))
    withExtendedLifetime(writer) {}
  }

  @Test func `sweeping where nothing was spooled is not an error`() throws {
    #expect(try spool(threshold: 1).sweep() == 0)
  }

  @Test func `reports a full disk before it writes a body that cannot fit`() throws {
    let error = #expect(throws: FreshetError.self) {
      try SpoolWriter(spool(threshold: 1), expectedLength: .max / 2)
    }

    guard case .file(let reason, _) = error else {
      Issue.record("it is \(String(describing: error))")
      return
    }
    #expect(reason.contains("no space"))
    #expect(sandbox.files(in: "spool").isEmpty)
  }

  @Test func `without a directory a body stays in memory`() throws {
    let file = sandbox.url.appendingPathComponent("file")
    try Data().write(to: file)
    let writer = try SpoolWriter(
      Spool(directory: file.appendingPathComponent("spool"), threshold: 0)
    )

    for _ in 0..<3 { try writer.append(Data("a".utf8)) }

    let (body, digest) = try writer.finish()
    #expect(try body.data() == Data("aaa".utf8) && body.fileURL == nil)
    #expect(try (digest ?? body.sha256()) == SHA256Hasher.digest(of: Data("aaa".utf8)))
  }

  @Test func `a store's spool falls back to the default one`() throws {
    let file = sandbox.url.appendingPathComponent("file")
    try Data().write(to: file)
    var spool = DiskStore(directory: file.appendingPathComponent("store")).spool
    spool.threshold = 0
    let writer = try SpoolWriter(spool)
    try writer.append(Data("a".utf8))

    let body = try writer.finish().body
    #expect(body.fileURL?.path.hasPrefix(Spool.defaultDirectory.path + "/") == true)
    #expect(try body.data() == Data("a".utf8))
  }

  @Test func `refuses a directory that other users can write to`() throws {
    let spool = spool(threshold: 0)
    try FileManager.default.createDirectory(
      at: spool.directory,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o777]
    )
    chmod(spool.directory.path, 0o777)
    let writer = try SpoolWriter(spool)
    try writer.append(Data("a".utf8))

    #expect(try writer.finish().body.fileURL == nil)
    #expect(sandbox.files().isEmpty)
  }

  @Test func `refuses a directory that is a link`() throws {
    let spool = spool(threshold: 0)
    let real = sandbox.url.appendingPathComponent("real")
    try FileManager.default.createDirectory(at: real, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(at: spool.directory, withDestinationURL: real)
    let writer = try SpoolWriter(spool)
    try writer.append(Data("a".utf8))

    #expect(try writer.finish().body.fileURL == nil)
    #expect(sandbox.files(in: "real").isEmpty)
  }

  private func spilled(_ bytes: Data) throws -> ResourceBody {
    let writer = try SpoolWriter(spool(threshold: 1), expectedLength: Int64(bytes.count))
    try writer.append(bytes)
    return try writer.finish().body
  }

  private func mode(_ url: URL) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue
  }
}
