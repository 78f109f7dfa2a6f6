import Foundation
import Testing

@testable import Freshet

/// The files of stored ranges of bytes.
@Suite struct PartShelfTests {
  let sandbox = StoreSandbox()

  private func shelf() -> PartShelf {
    PartShelf(
      directory: sandbox.url.appendingPathComponent("parts"),
      survivesPower: false,
      limit: { 1 << 30 }
    )
  }

  private func record(
    _ language: String? = nil,
    at time: Double = 1_000,
    of name: String = "film"
  ) throws -> PartialRecord {
    let url = "https://example.org/\(name)"
    var headers: HTTPHeaders = [.eTag: "\"v1\"", .contentLength: "1000000"]
    var asked: HTTPHeaders = [:]
    if let language {
      headers[.vary] = "Accept-Language"
      asked[.acceptLanguage] = language
    }
    return PartialRecord(
      key: try .sample(url),
      varying: VaryingFields(response: headers, request: asked),
      head: ResponseHead(status: .ok, headers: headers, url: try #require(URL(string: url))),
      tags: [],
      requestTime: Date(timeIntervalSinceReferenceDate: time),
      responseTime: Date(timeIntervalSinceReferenceDate: time)
    )
  }

  private func begin(_ record: PartialRecord, on shelf: PartShelf) throws -> PartFile {
    let head = try #require(record.head)
    let validator = try #require(StrongValidator(head, receivedAt: record.received))
    return try #require(shelf.begin(record, validator, since: shelf.epoch))
  }

  /// Stores the first thousand bytes.
  private func fill(_ part: PartFile, on shelf: PartShelf) throws {
    let segment = try #require(part.write(noise(1_000), at: 0, on: shelf))
    part.note([segment])
  }

  private var key: CacheKey {
    get throws { CacheKey(text: try record().key) }
  }

  private var log: String {
    get throws { shelf().log(PartialFolder.name(try key)) }
  }

  private func size(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.size] as? NSNumber)?.intValue ?? 0
  }

  @Test func `first ranges of a response that varies belong to the same part`() throws {
    let shelf = shelf()

    let first = try begin(try record("de"), on: shelf)
    let same = try begin(try record("de"), on: shelf)
    let other = try begin(try record("fr"), on: shelf)

    #expect(first === same)
    #expect(first !== other)
    let read = try begin(try record("fr"), on: self.shelf())
    #expect(read.fileName == other.fileName)
  }

  @Test func `confirmations within a second are written once`() throws {
    let shelf = shelf()
    let part = try begin(try record(), on: shelf)
    let begun = try size(of: log)

    for _ in 0..<100 { part.renew(try record(at: 1_000.5)) }
    #expect(try size(of: log) == begun)
    #expect(part.whole.responseTime == 1_000.5)
    part.renew(try record(at: 1_002))

    #expect(try size(of: log) > begun)
    #expect(self.shelf().find(try key, for: [:])?.whole.responseTime == 1_002)
  }

  @Test func `a log that has grown long is counted, and begun again`() throws {
    let shelf = shelf()
    let part = try begin(try record(), on: shelf)
    try fill(part, on: shelf)
    let line = PartRecord.renewal(try record(at: 1_005))
    var lines = Data()
    while lines.count < 5 << 20 { lines += line }
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
    try handle.seekToEnd()
    try handle.write(contentsOf: lines)
    try handle.close()
    #expect(part.storedBytes > 5 << 20)
    #expect(shelf.count().bytes > 5 << 20)

    for shelf in [shelf, self.shelf()] {
      let found = try #require(shelf.find(try key, for: [:]))
      #expect(found.ranges == [0..<1_000] && found.whole.responseTime == 1_005)
      #expect(found.read(at: 0, to: 1_000) == noise(1_000))
      #expect(try size(of: log) < 1 << 20)
    }
  }

  @Test func `a sweep keeps parts whose log cannot be opened`() throws {
    do {
      let shelf = shelf()
      try fill(try begin(try record(), on: shelf), on: shelf)
    }
    let (place, aside) = (try log, sandbox.url.appendingPathComponent("aside").path)
    try FileManager.default.moveItem(atPath: place, toPath: aside)
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)

    shelf().sweep(now: Date() + 3_600)

    try FileManager.default.removeItem(atPath: place)
    try FileManager.default.moveItem(atPath: aside, toPath: place)
    #expect(shelf().find(try key, for: [:])?.ranges == [0..<1_000])
  }

  @Test func `a sweep removes parts whose log is not a record`() throws {
    do {
      let shelf = shelf()
      try fill(try begin(try record(), on: shelf), on: shelf)
    }
    try Data("no record\n".utf8).write(to: URL(fileURLWithPath: log))

    shelf().sweep(now: Date() + 3_600)

    #expect(sandbox.files(in: "parts").isEmpty)
  }

  @Test(.timeLimit(.minutes(5)), arguments: [true, false])
  func `a pipe in the place of a file of parts is not waited for`(isLog: Bool) throws {
    let place: String
    do {
      let shelf = shelf()
      let part = try begin(try record(), on: shelf)
      try fill(part, on: shelf)
      place = isLog ? try log : shelf.body(part.fileName)
    }
    try FileManager.default.removeItem(atPath: place)
    #expect(mkfifo(place, 0o600) == 0)

    #expect(self.shelf().find(try key, for: [:]) == nil)
    self.shelf().sweep(now: Date() + 3_600)

    #expect(sandbox.files(in: "parts").isEmpty)
  }

  @Test func `a segment that ends behind its file is not stored`() async throws {
    let shelf = shelf()
    let part = try begin(try record(), on: shelf)
    try fill(part, on: shelf)
    let segment = PartSegment(0..<5_000, SHA256Hasher.digest(of: noise(1_000)))
    part.note([segment])

    #expect(part.read(at: 0, to: 5_000) == noise(1_000))
    #expect(part.ranges == [0..<1_000])
    part.note([segment])
    #expect(await part.verify() == (read: 6_000, damaged: 5_000))
  }

  /// Lets the parts seem to have been used by a clock that was ahead by a year.
  private func useInTheFuture() throws {
    let time = Date(timeIntervalSinceNow: 400 * 86_400)
    try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: log)
  }

  @Test func `parts that a clock that was ahead has used are the first to give way`() throws {
    let shelf = shelf()
    for name in ["film", "other"] {
      try fill(try begin(try record(of: name), on: shelf), on: shelf)
    }
    try useInTheFuture()
    let each = shelf.count().bytes / 2
    let new = try begin(try record(of: "new"), on: shelf)

    let limit = PartSegment.cell + new.storedBytes + each * 3 / 2
    let small = PartShelf(
      directory: sandbox.url.appendingPathComponent("parts"),
      survivesPower: false,
      limit: { limit }
    )
    #expect(small.hasRoom(besides: new))

    let keys = small.all.map(\.whole.key)
    #expect(try !keys.contains(key.text))
    #expect(try keys.contains(CacheKey.sample("https://example.org/other").text))
  }

  @Test func `a log that is being replaced is no part, and a sweep leaves it`() throws {
    let shelf = shelf()
    try fill(try begin(try record(), on: shelf), on: shelf)
    let written = try ReplacementFile(for: log)
    try written.file.write(try Data(contentsOf: URL(filePath: log)))

    #expect(self.shelf().all.map(\.whole.key) == [try key.text])
    self.shelf().sweep(now: Date(timeIntervalSinceNow: 40 * 86_400))

    #expect(try !FileManager.default.fileExists(atPath: log))
    try written.commit()
    #expect(try FileManager.default.fileExists(atPath: log))
  }

  @Test func `a gap ends at the next stored byte, and is never empty`() {
    let digest = SHA256Hasher.digest(of: Data())
    var segments = PartSegments()
    for range in [0..<10, 10..<20, 30..<40] as [Range<Int64>] {
      segments.add(PartSegment(range, digest))
    }

    #expect(segments.gap(from: 0, to: 20) == nil)
    #expect(segments.gap(from: 5, to: 100) == 20..<30)
    #expect(segments.gap(from: 25, to: 28) == 25..<28)
    #expect(segments.gap(from: 30, to: 100) == 40..<100)
  }

  @Test func `a segment beyond the largest number is none`() {
    let digest = SHA256Hasher.digest(of: Data()).hex

    #expect(PartSegment(line: Data("\(Int64.max - 1) 2 \(digest)".utf8), total: .max) == nil)
    #expect(PartSegment(line: Data("\(Int64.max - 1) 1 \(digest)".utf8), total: .max) != nil)
  }
}
