import Foundation
import FreshetTesting
import Testing

@testable import Freshet

@Suite struct PartialFolderTests {
  let sandbox = StoreSandbox()

  private func folder(_ limit: Int64 = 1 << 20) -> PartialFolder {
    var folder = PartialFolder(
      directory: sandbox.url.appendingPathComponent("partial"),
      byteLimit: limit
    )
    folder.checkpointInterval = 1_000
    return folder
  }

  private func record(_ name: String, length: Int64? = nil) throws -> PartialRecord {
    let url = "https://example.org/\(name)"
    var headers: HTTPHeaders = [.eTag: "\"v1\""]
    if let length { headers[.contentLength] = String(length) }
    return PartialRecord(
      key: try .sample(url),
      varying: .none,
      head: ResponseHead(status: .ok, headers: headers, url: try #require(URL(string: url))),
      tags: [],
      requestTime: Date(),
      responseTime: Date()
    )
  }

  private func spool(_ folder: PartialFolder) -> Spool {
    var spool = Spool(directory: sandbox.url.appendingPathComponent("spool"), threshold: 0)
    spool.partials = folder
    return spool
  }

  @Test func `bytes that are read again are kept for the next fetch`() async throws {
    let folder = folder(1 << 23)
    let key = CacheKey(text: try record("a").key)
    do {
      let writer = try SpoolWriter(spool(folder), record: try record("a"))
      try writer.append(noise(3 << 20))
    }

    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await folder.resume(key, for: [:]) == nil
    }

    #expect(await cancelled.value)
    #expect(await folder.resume(key, for: [:])?.body.length == 3 << 20)
  }

  @Test func `a checkpoint counts although the one before it is torn`() throws {
    let record = try record("a")
    let first = PartialRecord.Checkpoint(length: 5, digest: SHA256Hasher.digest(of: Data()))
    let second = PartialRecord.Checkpoint(length: 9, digest: SHA256Hasher.digest(of: Data()))

    let lines = try #require(
      PartialRecord.read(record.line + first.line.prefix(20) + second.line)
    )

    #expect(lines.1 == [second])
  }

  @Test func `a body with a long record is resumed at its last checkpoint, the only one then`()
    async throws
  {
    let folder = folder()
    let (record, bytes) = (try record("a"), noise(2_000))
    do {
      let writer = try SpoolWriter(spool(folder), record: record)
      try writer.append(bytes)
    }
    let key = CacheKey(text: record.key)
    let path = folder.record(PartialFolder.name(key))
    let checkpoints = [1_000, 2_000]
      .map { count in
        let digest = SHA256Hasher.digest(of: bytes.prefix(count))
        return PartialRecord.Checkpoint(length: Int64(count), digest: digest).line
      }
    var lines = record.line
    while lines.count < 5 << 20 { lines += checkpoints[0] }
    try (lines + checkpoints[1]).write(to: URL(fileURLWithPath: path))

    for _ in 0..<2 {
      let length = await folder.resume(key, for: [:])?.body.length
      #expect(length == 2_000)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == record.line + checkpoints[1])
    }
  }

  @Test func `the checkpoints of a resumed body follow those of its first transfer`() async throws {
    let folder = folder()
    let record = try record("a")
    do {
      let writer = try SpoolWriter(spool(folder), record: record)
      try writer.append(noise(1_000))
    }
    let key = CacheKey(text: record.key)
    do {
      let (partial, file) = try #require(await folder.resume(key, for: [:]))
      let writer = try SpoolWriter(spool(folder), partial, in: file)
      try writer.append(noise(1_000, seed: 2))
    }

    let lines = try folder.openRecord(PartialFolder.name(key), O_RDONLY).lines
    #expect(try #require(PartialRecord.read(lines)).1.map(\.length) == [1_000, 2_000])
  }

  @Test func `bytes that arrive slowly have a checkpoint every five seconds`() throws {
    var folder = folder()
    folder.checkpointInterval = 4 << 20
    let record = try record("a")
    let clock = VirtualClock()
    let writer = try SpoolWriter(spool(folder), record: record, now: { clock.date })
    let name = PartialFolder.name(CacheKey(text: record.key))
    var lengths: [[Int64]] = []
    for pause in [0, 4, 1, 4, 2] {
      clock.advance(by: .seconds(pause))
      try writer.append(noise(1_000))
      let lines = try folder.openRecord(name, O_RDONLY).lines
      lengths.append(try #require(PartialRecord.read(lines)).1.map(\.length))
    }

    #expect(lengths == [[], [], [3_000], [3_000], [3_000, 5_000]])
  }

  @Test func `a body of unknown length that exceeds the limit continues in the other spool`()
    throws
  {
    let folder = folder(10_000)
    let writer = try SpoolWriter(spool(folder), record: try record("a"))
    try writer.append(noise(9_000))
    #expect(sandbox.files(in: "partial").count == 2)
    try writer.append(noise(2_000, seed: 2))

    #expect(sandbox.files(in: "partial").isEmpty)
    #expect(sandbox.files(in: "spool").count == 1)
    try writer.append(noise(2_000, seed: 3))
    let (body, digest) = try writer.finish()
    let bytes = noise(9_000) + noise(2_000, seed: 2) + noise(2_000, seed: 3)
    #expect(try body.data().elementsEqual(bytes))
    #expect(digest == SHA256Hasher.digest(of: bytes))
  }

  @Test(arguments: [true, false])
  func `a body that is written while everything is removed is not resumed`(isFinished: Bool) throws
  {
    let folder = folder()
    var writer: SpoolWriter? = try SpoolWriter(spool(folder), record: try record("a"))
    try writer?.append(noise(5_000))
    #expect(sandbox.files(in: "partial").count == 2)

    try folder.removeAll()
    #expect(sandbox.files(in: "partial").count == 1)
    try writer?.append(noise(5_000, seed: 2))
    let body = isFinished ? try writer?.finish().body : nil
    writer = nil

    #expect(sandbox.files(in: "partial").isEmpty)
    if isFinished {
      #expect(try body?.data().elementsEqual(noise(5_000) + noise(5_000, seed: 2)) == true)
    }
  }

  @Test func `partial bodies of a process that ends after a removal are swept`() throws {
    let folder = folder()
    do {
      let partial = try folder.begin(try record("a"))
      try partial?.file.write(noise(5_000))
      try withExtendedLifetime(partial) { try folder.removeAll() }
    }
    #expect(sandbox.files(in: "partial").count == 1)

    folder.sweep(now: Date())

    #expect(sandbox.files(in: "partial").isEmpty)
  }

  @Test func `a sweep removes the record of an ended process, and not one that is being written`()
    throws
  {
    let folder = folder()
    try leave(noise(5_000), of: try record("a"), in: folder)
    let written = try ReplacementFile(for: folder.record("written"))
    try Data("left".utf8).write(to: URL(filePath: folder.path).appending(path: ".freshet-left"))

    folder.sweep(now: Date())

    #expect(DirectoryEntry.names(in: folder.path).count { $0.hasPrefix(".") } == 1)
    try written.commit()
  }

  @Test func `partial bodies are not removed for a body that cannot fit anyway`() throws {
    let folder = folder(.max)
    let waiting = try folder.begin(try record("a"))
    try waiting?.file.write(noise(5_000))
    dropAll(waiting)

    #expect(throws: FileFailure.self) { try folder.begin(try record("b", length: .max / 2)) }

    #expect(sandbox.files(in: "partial").count == 2)
  }

  @Test func `no partial body is removed for one that is being written elsewhere`() throws {
    let folder = folder(10_000)
    dropAll(try waiting("a", in: folder))
    let running = try folder.begin(try record("b"))

    #expect(try folder.begin(try record("b", length: 8_000)) == nil)

    withExtendedLifetime(running) { #expect(sandbox.files(in: "partial").count == 4) }
  }

  @Test func `the room for a body includes that of the one that it replaces`() throws {
    let folder = folder(10_000)
    dropAll(try waiting("b", in: folder))
    dropAll(try waiting("a", in: folder))

    let running = try folder.begin(try record("a", length: 5_000))

    withExtendedLifetime(running) { #expect(sandbox.files(in: "partial").count == 4) }
  }

  /// Begins a body, and writes 5,000 bytes of it.
  private func waiting(_ name: String, in folder: PartialFolder) throws -> PartialFile? {
    let file = try folder.begin(try record(name))
    try file?.file.write(noise(5_000))
    return file
  }

  private func dropAll(_ file: PartialFile?) {}

  @Test func `checks the space for the rest before it resumes a body`() async throws {
    let folder = folder(.max)
    let record = try record("a", length: .max / 2)
    let (name, bytes) = (PartialFolder.name(CacheKey(text: record.key)), noise(5_000))
    try PrivateDirectory.make(folder.path)
    try bytes.write(to: URL(fileURLWithPath: folder.body(name)))
    let checkpoint = PartialRecord.Checkpoint(
      length: 5_000,
      digest: SHA256Hasher.digest(of: bytes)
    )
    try (record.line + checkpoint.line).write(to: URL(fileURLWithPath: folder.record(name)))
    let (partial, file) = try #require(await folder.resume(CacheKey(text: record.key), for: [:]))

    #expect(throws: FreshetError.self) { try SpoolWriter(spool(folder), partial, in: file) }

    #expect(sandbox.files(in: "partial").count == 2)
  }

  private func leave(_ bytes: Data, of record: PartialRecord, in folder: PartialFolder) throws {
    let partial = try #require(try folder.begin(record))
    try partial.file.write(bytes)
    let hasher = SHA256Hasher()
    hasher.update(bytes)
    partial.checkpoint(Int64(bytes.count), hasher)
  }

  @Test func `a body gives up its record before another one can begin under its name`() throws {
    let folder = folder()
    let record = try record("a")
    let partial = try #require(try folder.begin(record))

    #expect(throws: FileFailure.self) {
      try partial.release(to: sandbox.url.appendingPathComponent("missing/body"))
    }

    #expect(!folder.hasRecord(PartialFolder.name(CacheKey(text: record.key))))
  }

  @Test func `a body that begins is not taken for one that is being removed`() async throws {
    let folder = folder()
    let record = try record("a")
    let name = PartialFolder.name(CacheKey(text: record.key))
    let remover = Task.detached {
      while !Task.isCancelled {
        folder.removeWaiting()
        await Task.yield()
      }
    }
    defer { remover.cancel() }

    var begun = 0
    for _ in 0..<1_000 {
      guard let partial = try folder.begin(record) else { continue }
      begun += 1
      for _ in 0..<10 { try #require(partial.file.isStill(at: folder.body(name))) }
      partial.discard()
    }
    remover.cancel()
    await remover.value

    #expect(begun > 0)
  }

  @Test func `does not write through a link at the path of a partial body`() throws {
    let folder = folder()
    let record = try record("a")
    let outside = sandbox.url.appendingPathComponent("outside")
    try Data("kept".utf8).write(to: outside)
    try PrivateDirectory.make(folder.path)
    let body = folder.body(PartialFolder.name(CacheKey(text: record.key)))
    try FileManager.default.createSymbolicLink(
      atPath: body,
      withDestinationPath: outside.path
    )

    #expect(throws: FileFailure.self) { try folder.begin(record) }

    #expect(try Data(contentsOf: outside) == Data("kept".utf8))
  }

  @Test func `the target of a link is not a record of a body`() throws {
    let folder = folder()
    let record = try record("a")
    try leave(noise(5_000), of: record, in: folder)
    let name = PartialFolder.name(CacheKey(text: record.key))
    let outside = sandbox.url.appendingPathComponent("outside")
    try FileManager.default.moveItem(atPath: folder.record(name), toPath: outside.path)
    try FileManager.default.createSymbolicLink(
      atPath: folder.record(name),
      withDestinationPath: outside.path
    )

    try folder.removeAll { _ in true }

    #expect(FileManager.default.fileExists(atPath: folder.body(name)))
  }

  #if !canImport(Darwin)
  @Test func `a removal includes a body whose record cannot be opened`() throws {
    let folder = folder()
    let record = try record("a")
    try leave(noise(5_000), of: record, in: folder)
    let place = folder.record(PartialFolder.name(CacheKey(text: record.key)))
    try FileManager.default.removeItem(atPath: place)
    // A socket cannot be opened.
    #expect(mknod(place, S_IFSOCK | 0o600, 0) == 0)

    try folder.removeAll { _ in false }

    #expect(sandbox.files(in: "partial").isEmpty)
  }
  #endif

  @Test(arguments: [".part", ".head"])
  func `does not resume through a link`(suffix: String) async throws {
    let folder = folder()
    let record = try record("a")
    try leave(noise(5_000), of: record, in: folder)
    let name = PartialFolder.name(CacheKey(text: record.key)) + suffix
    let place = URL(fileURLWithPath: folder.path).appendingPathComponent(name)
    let outside = sandbox.url.appendingPathComponent("outside")
    try FileManager.default.moveItem(at: place, to: outside)
    let before = try Data(contentsOf: outside)
    try FileManager.default.createSymbolicLink(at: place, withDestinationURL: outside)

    #expect(await folder.resume(CacheKey(text: record.key), for: [:]) == nil)
    folder.sweep(now: Date())

    #expect(try Data(contentsOf: outside).elementsEqual(before))
  }

  @Test(.timeLimit(.minutes(5)), arguments: [".part", ".head"])
  func `a pipe in the place of a file is not waited for`(suffix: String) async throws {
    let folder = folder()
    let record = try record("a")
    try leave(noise(5_000), of: record, in: folder)
    let key = CacheKey(text: record.key)
    #expect(await folder.waiting(key, for: [:]) != nil)
    let place = "\(folder.path)/\(PartialFolder.name(key))\(suffix)"
    try FileManager.default.removeItem(atPath: place)
    #expect(mkfifo(place, 0o600) == 0)

    #expect(await folder.waiting(key, for: [:]) == nil)
    #expect(await folder.resume(key, for: [:]) == nil)
  }

  @Test func `a body that was requested before a removal cannot be resumed`() throws {
    var spool = spool(folder())
    let shelf = PartShelf(
      directory: sandbox.url.appendingPathComponent("parts"),
      survivesPower: false,
      limit: { 1 << 20 }
    )
    spool.parts = shelf
    let epoch = shelf.epoch
    try shelf.removeAll { _ in true }

    let earlier = try SpoolWriter(spool, record: try record("a"), since: epoch)
    try earlier.append(noise(5_000))
    #expect(sandbox.files(in: "partial").isEmpty && sandbox.files(in: "spool").count == 1)
    let later = try SpoolWriter(spool, record: try record("b"), since: shelf.epoch)
    try later.append(noise(5_000))

    #expect(sandbox.files(in: "partial").count == 2)
    withExtendedLifetime((earlier, later)) {}
  }

  @Test func `a record with a negative length is not valid`() throws {
    let record = try record("a", length: 5_000)
    let line = String(decoding: record.line, as: UTF8.self)
    let other = line.replacingOccurrences(of: "\"total\":5000", with: "\"total\":-5000")
    #expect(other != line)

    #expect(PartialRecord.read(Data(line.utf8))?.0.head != nil)
    #expect(PartialRecord.read(Data(other.utf8))?.0.head == nil)
  }
}
