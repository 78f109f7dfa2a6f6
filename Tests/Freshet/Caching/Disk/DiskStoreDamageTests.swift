import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

@Suite struct DiskStoreDamageTests {
  let sandbox = StoreSandbox()
  let heard = Heard<DiskStore.Diagnostic>()

  private func store(_ tuning: DiskStore.Tuning = .init()) -> DiskStore {
    DiskStore(
      directory: sandbox.url.appendingPathComponent("store"),
      configuration: .init(),
      tuning: tuning,
      onDiagnostic: { [heard] in heard.append($0) }
    )
  }

  /// Fills a store and closes it.
  private func fill(_ length: Int, count: Int = 1) async throws {
    let store = store()
    for number in 0..<count {
      _ = try await store.keep(try sample(number, length))
    }
    await store.close()
  }

  private func sample(_ length: Int) throws -> StoredResponse {
    try sample(0, length)
  }

  private func sample(_ number: Int, _ length: Int) throws -> StoredResponse {
    try .sample("https://example.org/\(number)", body: noise(length, seed: UInt64(number) + 1))
  }

  private func path(_ name: String) -> String {
    sandbox.url.appendingPathComponent("store/\(name)").path
  }

  private var bodyPath: String {
    get throws { path("bodies/" + (try #require(sandbox.files(in: "store/bodies").first))) }
  }

  private func overwrite(_ path: String, at offset: Int, with bytes: Data) throws {
    let handle = try #require(FileHandle(forUpdatingAtPath: path))
    try handle.seek(toOffset: UInt64(offset))
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  #if !canImport(Darwin)
  @Test func `verifying without a free descriptor removes nothing`() async {
    await #expect(processExitsWith: .success) {
      let sandbox = StoreSandbox()
      let store = DiskStore(directory: sandbox.url.appendingPathComponent("store"))
      let response = try StoredResponse.sample(body: noise(100_000, seed: 1))
      _ = try await store.keep(response)
      let before = try await store.verify()

      let reason = await Scarcity.leaving(0) { () -> String? in
        do throws(FreshetError) {
          _ = try await store.verify()
          return nil
        } catch {
          return error.description
        }
      }

      let after = try await store.verify()
      let isKept = before.count == 1 && after == before
      exitTest(isKept && reason?.contains("open") == true, removing: sandbox.url)
    }
  }
  #endif

  @Test func `a reader that meets damage for a moment reads again with another connection`()
    async throws
  {
    try await fill(100)
    let store = store()
    try await store.open()
    _ = try store.readers.read { reader throws(SQLiteError) in try reader.statistics() }
    let connections = Heard<ObjectIdentifier>()

    let found = try store.readers.read { reader throws(SQLiteError) in
      connections.append(ObjectIdentifier(reader))
      if connections.all.count == 1 { throw SQLiteError(damage: "for a moment") }
      return try reader.statistics().count
    }

    #expect(found == 1)
    #expect(connections.all.count == 2)
    #expect(heard.all.isEmpty)
  }

  private func execute(_ sql: String) {
    var handle: OpaquePointer?
    #expect(sqlite3_open(path("index.sqlite"), &handle) == SQLITE_OK)
    // The store before may still be closing.
    sqlite3_busy_timeout(handle, 10_000)
    #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
    sqlite3_close(handle)
  }

  private var droppedReasons: [String] {
    heard.all.compactMap { if case .entryDropped(_, let reason) = $0 { reason } else { nil } }
  }

  // MARK: - Bodies in files

  @Test func `a change that is applied twice keeps the body`() async throws {
    let store = store()
    let response = try sample(50_000)
    _ = try await store.keep(response)
    let name = URL(filePath: try bodyPath).lastPathComponent
    let digest = try response.body.sha256()

    for _ in 0..<2 {
      try await store.writer.perform { transaction throws(SQLiteError) in
        let record = DiskRecord(response, digest: digest, body: .file(name))
        _ = try transaction.insert(record)
      }
    }
    await store.close()

    #expect(await self.store().find(response.key, for: [:]) != nil)
  }

  @Test func `a missing body is a miss, and its record is removed`() async throws {
    try await fill(50_000)
    unlink(try bodyPath)
    let store = store()

    #expect(await store.find(try sample(50_000).key, for: [:]) == nil)
    #expect(droppedReasons == ["its body file is missing"])
    #expect(try await store.statistics() == .init(count: 0, bytes: 0))
  }

  @Test(arguments: [0, 49_999, 50_001])
  func `a body with the wrong length is a miss, and its record is removed`(length: Int) async throws
  {
    try await fill(50_000)
    truncate(try bodyPath, length)
    let store = store()

    #expect(await store.find(try sample(50_000).key, for: [:]) == nil)
    #expect(droppedReasons == ["its body has the wrong length"])
    #expect(try await store.statistics().count == 0)
    #expect(sandbox.files(in: "store/bodies").isEmpty)
  }

  @Test func `a changed body is a miss, and its record is removed`() async throws {
    try await fill(50_000)
    try overwrite(bodyPath, at: 30_000, with: Data([noise(50_000)[30_000] ^ 1]))
    let store = store()

    #expect(await store.find(try sample(50_000).key, for: [:]) == nil)
    #expect(droppedReasons == ["its body does not match its digest"])
    #expect(try await store.statistics().count == 0)
    #expect(sandbox.files(in: "store/bodies").isEmpty)
  }

  /// A body over 16 MiB, whose first byte was changed since it was stored.
  private func changedBody(in store: DiskStore) async throws -> ResourceBody {
    let length = 17 << 20
    try await fill(length)
    let byte = try #require(FileHandle(forReadingAtPath: bodyPath)?.read(upToCount: 1)?.first)
    try overwrite(bodyPath, at: 0, with: Data([byte ^ 1]))
    return try #require(await store.find(sample(length).key, for: [:])).body
  }

  @Test func `a changed body that is read several times is told once`() async throws {
    let store = store()
    let body = try await changedBody(in: store)

    for _ in 0..<3 { #expect(throws: FreshetError.self) { try body.data() } }

    #expect(droppedReasons == ["its body does not match its digest"])
  }

  @Test(arguments: ["data", "chunks", "write"])
  func `the first complete read of a changed body over 16 MiB fails and removes it`(
    how: String
  ) async throws {
    let store = store()
    let body = try await changedBody(in: store)
    let copy = sandbox.url.appendingPathComponent("copy")

    await #expect(throws: FreshetError.self) {
      switch how {
      case "data": _ = try body.data()
      case "chunks": for try await _ in body.chunks(ofCount: 7_000) {}
      default: try body.write(to: copy)
      }
    }

    #expect(!FileManager.default.fileExists(atPath: copy.path))
    #expect(droppedReasons == ["its body does not match its digest"])
    await store.close()
    #expect(sandbox.files(in: "store/bodies").isEmpty)
  }

  @Test func `a body is verified once for each opening`() async throws {
    try await fill(50_000)
    let store = store()
    let first = try #require(await store.find(sample(50_000).key, for: [:]))
    #expect(try first.body.data() == noise(50_000))

    try overwrite(bodyPath, at: 30_000, with: Data([noise(50_000)[30_000] ^ 1]))
    let second = try #require(await store.find(sample(50_000).key, for: [:]))

    #expect(try second.body.data() != noise(50_000))
    #expect(heard.all.isEmpty)
  }

  // MARK: - Records

  @Test(arguments: [
    "UPDATE response SET bytes = zeroblob(1000)",
    "UPDATE response SET bytes = x'00'",
    "UPDATE response SET bytes = NULL",
    "UPDATE response SET head = replace(head, 'e', 'f')",
    "UPDATE response SET head = x''",
    "UPDATE response SET digest = zeroblob(32)",
    "UPDATE response SET varying = x'0161'",
    "UPDATE response SET length = 3",
    "UPDATE response SET cost = 1",
    "UPDATE response SET cost = -9223372036854775808",
    "UPDATE response SET stored = 0",
  ])
  func `a changed record is a miss and is removed`(change: String) async throws {
    try await fill(1_000)
    execute(change)
    // The daily search would remove a record with a wrong cost, too, without a diagnostic.
    var tuning = DiskStore.Tuning()
    tuning.sweepInterval = .infinity
    let store = store(tuning)

    #expect(await store.find(try sample(1_000).key, for: [:]) == nil)
    #expect(droppedReasons.count == 1)
    #expect(try await store.statistics().count == 0)
  }

  @Test func `a record is never found under another key`() async throws {
    try await fill(1_000)
    execute("UPDATE response SET key = 'https://example.org/secret'")
    let store = store()

    #expect(await store.find(try .sample("https://example.org/secret"), for: [:]) == nil)
  }

  // MARK: - Numbers beside the records

  @Test(arguments: ["UPDATE total SET bytes = -5, count = 99", "DELETE FROM total"])
  func `verifying repairs the totals`(change: String) async throws {
    try await fill(1_000, count: 5)
    let before = try await store().statistics()
    execute(change)
    let store = store()

    _ = try await store.verify()

    #expect(try await store.statistics() == before)
  }

  @Test func `verifying adds missing uses`() async throws {
    try await fill(1_000, count: 5)
    execute("DELETE FROM usage WHERE response > 2")
    var tuning = DiskStore.Tuning()
    tuning.sweepInterval = .infinity
    let store = store(tuning)

    _ = try await store.verify()

    #expect(try integer("SELECT count(*) FROM usage") == 5)
    #expect(try await store.statistics().count == 5)
  }

  @Test(arguments: [
    "UPDATE total SET bytes = -5, count = 99", "DELETE FROM usage",
    "UPDATE response SET cost = 9000000000000000000 WHERE id = 1",
  ])
  func `the daily search repairs totals, uses and costs`(change: String) async throws {
    try await fill(1_000, count: 5)
    execute(change)
    var tuning = DiskStore.Tuning()
    tuning.sweepInterval = 0
    let store = store(tuning)

    try await store.open()
    await store.writer.rest()

    let statistics = try await store.statistics()
    #expect(statistics.count == (change.contains("cost") ? 4 : 5))
    #expect((4_000...10_000).contains(statistics.bytes))
    #expect(try integer("SELECT count(*) FROM usage") == Int64(statistics.count))
  }

  @Test func `a store without recorded uses still removes entries`() async throws {
    try await fill(1_000, count: 20)
    execute("DELETE FROM usage")
    var configuration = DiskStore.Configuration()
    configuration.byteLimit = 10_000
    let store = DiskStore(directory: URL(fileURLWithPath: path("")), configuration: configuration)

    _ = try await store.keep(try sample(99, 1_000))
    await store.writer.rest()

    #expect(try await store.statistics().bytes <= 10_000)
    #expect(await store.find(try sample(99, 1_000).key, for: [:]) != nil)
  }

  private func integer(_ sql: String) throws -> Int64 {
    let path = path("index.sqlite")
    return try SQLiteConnection(path, isCreating: false, patience: 1_000).integer(sql)
  }

  // MARK: - The database

  /// SQLITE_IOERR_READ.
  private static let notRead = SQLiteError(code: 266, message: "disk I/O error")

  private let clock = VirtualClock()

  /// A store whose device reads again what it did not read, or does not.
  private func store(readsAgain: Bool) -> DiskStore {
    var tuning = DiskStore.Tuning()
    tuning.now = { [clock] in clock.date }
    // Writing a use can read, which is a failure less in a row.
    tuning.touchDelay = .seconds(3_600)
    if !readsAgain { tuning.examine = { _ throws(SQLiteError) in throw Self.notRead } }
    return store(tuning)
  }

  /// Lets the device fail, and tells whether something has been done about it.
  private func fail(_ store: DiskStore, after duration: Duration) async -> Bool {
    clock.advance(by: duration)
    let done: Void? = try? await store.writer.perform { transaction throws(SQLiteError) in
      if transaction.generation == 1 { throw Self.notRead }
    }
    return done != nil
  }

  @Test func `read errors with a successful read between them are no damage`() async throws {
    let store = store(readsAgain: false)
    _ = try await store.keep(try sample(1, 1_000))

    for round in 0..<6 {
      #expect(await fail(store, after: .seconds(2)) == false)
      #expect(!store.shared.judged(Self.notRead, isWriting: false).isCorruption)
      store.shared.couldNotRead("disk I/O error")
      #expect(await store.find(try sample(1, 1_000).key, for: [:]) != nil)
      _ = try await store.keep(try sample(2 + round, 1_000))
    }

    #expect(try await store.statistics().count == 7)
    #expect(!FileManager.default.fileExists(atPath: path("index.sqlite.corrupt")))
  }

  @Test func `one read error that three readers meet is no damage`() async throws {
    let store = store(readsAgain: false)
    _ = try await store.keep(try sample(1_000))

    for _ in 0..<4 { #expect(await fail(store, after: .milliseconds(200)) == false) }

    #expect(try await store.statistics().count == 1)
    #expect(!FileManager.default.fileExists(atPath: path("index.sqlite.corrupt")))
  }

  @Test func `a database that can be read again is kept`() async throws {
    let store = store(readsAgain: true)
    _ = try await store.keep(try sample(1_000))
    // A chore that can read is a failure less in a row.
    await store.writer.rest()

    for round in 1...3 { #expect(await fail(store, after: .seconds(2)) == (round == 3)) }

    #expect(await store.find(try sample(1_000).key, for: [:]) != nil)
    #expect(!FileManager.default.fileExists(atPath: path("index.sqlite.corrupt")))
  }

  @Test func `a database that cannot be read three times is moved aside`() async throws {
    let store = store(readsAgain: false)
    _ = try await store.keep(try sample(1_000))
    // A chore that can read is a failure less in a row.
    await store.writer.rest()
    for round in 1...3 {
      #expect(try await store.statistics().count == 1)
      #expect(await fail(store, after: .seconds(2)) == (round == 3))
    }

    #expect(try await store.statistics().count == 0)
    _ = try await store.keep(try sample(1_000))
    #expect(await store.find(try sample(1_000).key, for: [:]) != nil)
    #expect(FileManager.default.fileExists(atPath: path("index.sqlite.corrupt")))
  }

  @Test func `a database of an earlier version is replaced`() async throws {
    try await fill(1_000)
    execute("PRAGMA user_version = 1")
    let store = store()

    #expect(await store.find(try sample(1_000).key, for: [:]) == nil)
    _ = try await store.keep(try sample(1_000))
    #expect(await store.find(try sample(1_000).key, for: [:]) != nil)
    #expect(!FileManager.default.fileExists(atPath: path("index.sqlite.corrupt")))
  }

  @Test(arguments: ["prefix", "tag", "purge", "day"])
  func `a database that was moved aside is removed with the responses, or after a day`(
    how: String
  ) async throws {
    try await fill(1_000)
    try noise(10_000).write(to: URL(fileURLWithPath: path("index.sqlite")))
    let first = store()
    _ = try await first.keep(try sample(1_000))
    #expect(FileManager.default.fileExists(atPath: path("index.sqlite.corrupt")))

    switch how {
    case "prefix": try await first.removeAll(prefix: "", partition: "ann")
    case "tag": try await first.removeAll(tag: "ann")
    case "purge": try await first.purge(olderThan: .seconds(86_400))
    default:
      await first.writer.rest()
      var tuning = DiskStore.Tuning()
      tuning.now = { Date() + 86_401 }
      let second = store(tuning)
      try await second.open()
      await second.writer.rest()
    }

    #expect(!FileManager.default.fileExists(atPath: path("index.sqlite.corrupt")))
  }

  @Test(arguments: ["garbage", "empty", "header", "middle", "short"])
  func `a damaged database never stops the store`(damage: String) async throws {
    try await fill(10_000, count: 100)
    let database = path("index.sqlite")
    switch damage {
    case "garbage": try noise(100_000).write(to: URL(fileURLWithPath: database))
    case "empty": truncate(database, 0)
    case "header": try overwrite(database, at: 0, with: noise(64))
    case "middle": try overwrite(database, at: 4_096, with: noise(12 * 4_096))
    default: truncate(database, 5_000)
    }

    let store = store()
    for number in 0..<100 {
      if let found = await store.find(try sample(number, 10_000).key, for: [:]) {
        #expect(try found.body.data() == noise(10_000, seed: UInt64(number) + 1))
      }
    }
    for number in 0..<100 { _ = try await store.keep(try sample(number, 10_000)) }

    for number in 0..<100 {
      let found = await store.find(try sample(number, 10_000).key, for: [:])
      #expect(try found?.body.data() == noise(10_000, seed: UInt64(number) + 1))
    }
    #expect(try await store.statistics().count == 100)
    if damage == "garbage" || damage == "header" {
      #expect(FileManager.default.fileExists(atPath: path("index.sqlite.corrupt")))
      #expect(heard.all.contains { if case .databaseReplaced = $0 { true } else { false } })
    }
  }

  @Test(arguments: [
    "ALTER TABLE response RENAME COLUMN stored TO storee", "ALTER TABLE usage RENAME TO usagf",
  ])
  func `a changed name in the schema does not stop the store`(
    change: String
  ) async throws {
    try await fill(1_000)
    execute(change)
    let store = store()

    _ = await store.find(try sample(1_000).key, for: [:])
    _ = try? await store.keep(try sample(1_000))
    _ = try await store.keep(try sample(1_000))

    #expect(await store.find(try sample(1_000).key, for: [:]) != nil)
    #expect(heard.all.contains { if case .databaseReplaced = $0 { true } else { false } })
    await store.close()
  }

  @Test func `a database that is damaged while open is moved aside`() async throws {
    let store = store()
    for number in 0..<400 { _ = try await store.keep(try sample(number, 10_000)) }
    let size = try #require(FileHandle(forReadingAtPath: path("index.sqlite"))?.seekToEndOfFile())
    try overwrite(path("index.sqlite-wal"), at: 0, with: noise(4_000_000))
    try overwrite(path("index.sqlite"), at: 0, with: noise(Int(size)))

    for number in 0..<400 {
      _ = await store.find(try sample(number, 10_000).key, for: [:])
      _ = try? await store.keep(try sample(number, 10_000))
    }
    for number in 0..<400 { _ = try await store.keep(try sample(number, 10_000)) }

    #expect(try await store.statistics().count == 400)
    #expect(heard.all.contains { if case .databaseReplaced = $0 { true } else { false } })
  }

  @Test func `a damaged database that cannot be moved aside is removed`() async throws {
    try await fill(1_000)
    try noise(10_000).write(to: URL(fileURLWithPath: path("index.sqlite")))
    try FileManager.default.createDirectory(
      atPath: path("index.sqlite.corrupt"),
      withIntermediateDirectories: false
    )
    let store = store()

    _ = try await store.keep(try sample(1_000))

    #expect(await store.find(try sample(1_000).key, for: [:]) != nil)
  }

  @Test func `removing everything removes the database that was moved aside`() async throws {
    try await fill(1_000)
    try noise(10_000).write(to: URL(fileURLWithPath: path("index.sqlite")))
    let store = store()
    _ = try await store.keep(try sample(1_000))
    #expect(FileManager.default.fileExists(atPath: path("index.sqlite.corrupt")))

    try await store.removeAll()

    #expect(!FileManager.default.fileExists(atPath: path("index.sqlite.corrupt")))
  }

  @Test(arguments: ["PRAGMA user_version = 4", "PRAGMA application_id = 1"])
  func `a database of a newer version or of another program is not changed`(
    change: String
  )
    async throws
  {
    try await fill(1_000)
    execute(change)
    let store = store()

    #expect(await store.find(try sample(1_000).key, for: [:]) == nil)
    await #expect(throws: FreshetError.self) { try await store.keep(try sample(1, 1_000)) }
    await #expect(throws: FreshetError.self) { try await store.keep(try sample(1, 50_000)) }
    await store.close()

    #expect(heard.all.count == 1)
    #expect(sandbox.files(in: "store/bodies").isEmpty)
    execute("PRAGMA user_version = 3; PRAGMA application_id = \(DiskSchema.identity.application)")
    #expect(await self.store().find(try sample(1_000).key, for: [:]) != nil)
  }

  // MARK: - The directory

  @Test func `removes write access of the group from a directory`() async throws {
    try FileManager.default.createDirectory(atPath: path(""), withIntermediateDirectories: true)
    chmod(path(""), 0o775)
    let store = store()

    _ = try await store.keep(try sample(1_000))

    #expect(await store.find(try sample(1_000).key, for: [:]) != nil)
    let attributes = try FileManager.default.attributesOfItem(atPath: path(""))
    #expect(attributes[.posixPermissions] as? Int == 0o755)
    #expect(heard.all.isEmpty)
  }

  @Test func `refuses a directory that everybody can write to, with the reason`()
    async throws
  {
    try FileManager.default.createDirectory(atPath: path(""), withIntermediateDirectories: true)
    chmod(path(""), 0o777)

    #expect(await store().find(try sample(1_000).key, for: [:]) == nil)

    #expect(heard.all.count == 1)
    #expect("\(heard.all)".contains("other users can write to it; restrict its permissions"))
  }

  @Test func `without a directory finding is a miss and storing a typed error`()
    async throws
  {
    try Data("a file".utf8).write(to: sandbox.url.appendingPathComponent("store"))
    let store = store()

    #expect(await store.find(try sample(1_000).key, for: [:]) == nil)
    for length in [1_000, 50_000] {
      let error = await #expect(throws: FreshetError.self) {
        try await store.keep(try sample(length))
      }
      guard case .store = error else {
        Issue.record("it is \(String(describing: error))")
        return
      }
    }
    await #expect(throws: FreshetError.self) { try await store.statistics() }
    #expect(heard.all.count == 1)

    try FileManager.default.removeItem(at: store.directory)
    _ = try await store.keep(try sample(1_000))
    #expect(await store.find(try sample(1_000).key, for: [:]) != nil)
  }

  @Test(arguments: [1_000, 50_000])
  func `a directory that was removed is created again`(length: Int) async throws {
    let store = store()
    _ = try await store.keep(try sample(1, length))
    try FileManager.default.removeItem(at: store.directory)

    #expect(await store.find(try sample(1, length).key, for: [:]) == nil)
    _ = try await store.keep(try sample(2, length))

    #expect(await store.find(try sample(2, length).key, for: [:]) != nil)
    #expect(await store.find(try sample(1, length).key, for: [:]) == nil)
    #expect(heard.all.contains(.directoryVanished))
    await store.close()
    #expect(await self.store().find(try sample(2, length).key, for: [:]) != nil)
  }

  @Test func `a change fails whose database was moved meanwhile and cannot be opened again`()
    async throws
  {
    let store = store()
    try await store.open()
    let (place, aside) = (store.directory.path, sandbox.url.appendingPathComponent("aside").path)

    await #expect(throws: FreshetError.self) {
      try await store.writer.perform { _ throws(SQLiteError) -> Void in
        rename(place, aside)
        _ = try? Data().write(to: URL(fileURLWithPath: place))
      }
    }
  }

  @Test func `a store that can only be read finds what a new database has`() async throws {
    try await fill(100)
    let shared = DiskShared(
      layout: DiskLayout(directory: sandbox.url.appendingPathComponent("store")),
      configuration: .init(),
      tuning: .init(),
      listener: nil
    )
    shared.opened(generation: 1, access: .reading)
    let readers = DiskReaders(shared: shared)
    func count() throws -> Int? {
      try readers.read { reader throws(SQLiteError) in try reader.statistics().count }
    }
    #expect(try count() == 1)

    for file in shared.layout.databaseFiles { unlink(file) }
    try await fill(100, count: 2)

    #expect(try count() == 2)
  }

  @Test(arguments: ["parts", "partial"])
  func `a removal fails where incomplete bodies cannot be listed`(folder: String) async throws {
    let store = store()
    _ = try await store.keep(try sample(100))
    // A link to itself cannot be opened, like a folder without a free descriptor.
    let place = path(folder)
    try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: place)

    await #expect(throws: FreshetError.self) { try await store.remove(try sample(100).key) }
    #expect(await store.find(try sample(100).key, for: [:]) == nil)
    _ = try await store.keep(try sample(101))
    await #expect(throws: FreshetError.self) { try await store.removeAll() }
    #expect(await store.find(try sample(101).key, for: [:]) == nil)
  }

  @Test func `a body that cannot be written is a failure with the system's reason`() async throws {
    let store = store()
    _ = try await store.keep(try sample(0, 1_000))
    let spool = store.directory.appending(path: "spool")
    try? FileManager.default.removeItem(at: spool)
    try Data().write(to: spool)

    let error = await #expect(throws: FreshetError.self) {
      try await store.keep(try sample(1, 200_000))
    }

    let text = try #require(error).description
    #expect(text.contains("ot a directory"))
  }

  @Test func `a failed write leaves the earlier copy and the body`() async throws {
    let store = store()
    _ = try await store.keep(try .sample(body: Data("old".utf8)))
    let writer = try SpoolWriter(Spool(directory: sandbox.url, threshold: 0))
    try writer.append(noise(50_000))
    let body = try writer.finish().body
    let before = body.fileURL
    execute("CREATE TRIGGER no BEFORE UPDATE ON response BEGIN SELECT raise(ABORT, 'no'); END")

    await #expect(throws: FreshetError.self) { try await store.keep(try .sample(body: body)) }

    #expect(body.fileURL == before)
    #expect(try body.data() == noise(50_000))
    #expect(sandbox.files(in: "store/bodies").isEmpty)
    #expect(try await store.find(.sample(), for: [:])?.body.data() == Data("old".utf8))
    #expect(heard.all.count == 1)
  }

  @Test
  func `a full disk is a typed error, reported once until there is room, and stored entries stay`()
    async throws
  {
    let store = store()
    _ = try await store.keep(try sample(0, 10_000))
    try await store.writer.perform { transaction throws(SQLiteError) in
      try transaction.run("PRAGMA max_page_count = 40")
    }

    var results: [Bool] = []
    for number in 1..<60 {
      do {
        _ = try await store.keep(try sample(number, 10_000))
        results.append(true)
      } catch FreshetError.store(let failure) {
        #expect(failure.description.contains("no space"))
        results.append(false)
      }
    }

    #expect(results.count { !$0 } > 20)
    let beginnings = zip([true] + results, results).count { $0 && !$1 }
    let news = DiskStore.Diagnostic.unwritable(reason: "there is no space left on the disk")
    #expect(heard.all == Array(repeating: news, count: beginnings))
    #expect(await store.find(try sample(0, 10_000).key, for: [:]) != nil)
  }

  @Test func `recording a use does not report a full disk again`() async throws {
    var tuning = DiskStore.Tuning()
    tuning.touchDelay = .zero
    let store = store(tuning)
    _ = try await store.keep(try sample(0, 10_000))
    try await store.writer.perform { transaction throws(SQLiteError) in
      try transaction.run("PRAGMA max_page_count = 1")
    }

    for number in 1..<4 {
      await #expect(throws: FreshetError.self) {
        _ = try await store.keep(try sample(number, 10_000))
      }
      #expect(await store.find(try sample(0, 10_000).key, for: [:]) != nil)
      await store.writer.rest()
    }

    #expect(heard.all == [.unwritable(reason: "there is no space left on the disk")])
  }

  @Test func `removing everything works where single records cannot be removed`() async throws {
    let store = store()
    for number in 0..<3 { _ = try await store.keep(try sample(number, 1_000 + number * 20_000)) }
    execute("CREATE TRIGGER no BEFORE DELETE ON response BEGIN SELECT raise(ABORT, 'no'); END")

    try await store.removeAll()

    #expect(try await store.statistics() == .init(count: 0, bytes: 0))
    #expect(sandbox.files(in: "store/bodies").isEmpty)
    _ = try await store.keep(try sample(1, 1_000))
    #expect(await store.find(try sample(1, 1_000).key, for: [:]) != nil)
    #expect(!FileManager.default.fileExists(atPath: path("index.sqlite.corrupt")))
  }

  /// Makes each change of the store that removes something fail, for lack of space.
  private func fillUp(_ store: DiskStore) async throws {
    try await store.writer.perform { transaction throws(SQLiteError) in
      try transaction.run("PRAGMA max_page_count = 1")
    }
    execute(
      """
      CREATE TABLE ballast (bytes);
      CREATE TRIGGER full AFTER DELETE ON response
        BEGIN INSERT INTO ballast VALUES (zeroblob(1000000)); END
      """
    )
  }

  @Test func `a removal from a full disk removes the body although its record stays`() async throws
  {
    let store = store()
    for number in 0..<3 { _ = try await store.keep(try sample(number, 50_000)) }
    try await fillUp(store)

    await #expect(throws: FreshetError.store("there is no space left on the disk")) {
      try await store.remove(try sample(0, 50_000).key)
    }

    #expect(sandbox.files(in: "store/bodies").count == 2)
    #expect(await store.find(try sample(0, 50_000).key, for: [:]) == nil)
    #expect(await store.find(try sample(1, 50_000).key, for: [:]) != nil)
    await #expect(throws: FreshetError.self) { try await store.purge(olderThan: .zero) }
    #expect(sandbox.files(in: "store/bodies").isEmpty)
  }

  @Test func `a removal is repeated with the space of the bodies that it removes`() async throws {
    let store = store()
    _ = try await store.keep(try sample(50_000))
    let body = try bodyPath

    try await store.writer.perform { transaction throws(SQLiteError) in
      try transaction.deleteAll("SELECT id, cost, file FROM response", [])
      guard access(body, F_OK) != 0 else { throw SQLiteError(code: SQLITE_FULL, message: "full") }
    }

    #expect(try await store.statistics() == .init(count: 0, bytes: 0))
    #expect(heard.all.isEmpty)
  }

  #if !canImport(Darwin)
  @Test func `beyond a quota, responses are removed with the space of their bodies`() async throws {
    let store = store()
    _ = try await store.keep(try sample(0, 50_000))
    let isLimited = try SystemCalls.limit(path("index.sqlite-wal"), whileThereIs: bodyPath)
    try #require(isLimited)

    let full = FreshetError.store("there is no space left on the disk")
    await #expect(throws: full) { try await store.keep(try sample(1, 1_000)) }
    #expect(heard.all == [.unwritable(reason: "there is no space left on the disk")])

    try await store.remove(try sample(0, 50_000).key)
    #expect(try await store.statistics() == .init(count: 0, bytes: 0))
    _ = try await store.keep(try sample(1, 1_000))
  }
  #endif

  @Test func `everything can be removed from a full disk`() async throws {
    let store = store()
    for number in 0..<3 { _ = try await store.keep(try sample(number, 1_000 + number * 20_000)) }
    try await fillUp(store)

    try await store.removeAll()

    #expect(try await store.statistics() == .init(count: 0, bytes: 0))
    #expect(sandbox.files(in: "store/bodies").isEmpty)
    _ = try await store.keep(try sample(1, 50_000))
    #expect(await store.find(try sample(1, 50_000).key, for: [:]) != nil)
  }

  // MARK: - Orphans

  @Test func `bodies without a record are removed after a while`() async throws {
    try await fill(50_000, count: 3)
    let orphan = path("bodies/ab/abcd")
    mkdir(path("bodies/ab"), 0o700)
    try Data("orphan".utf8).write(to: URL(fileURLWithPath: orphan))

    var young = DiskStore.Tuning()
    young.sweepInterval = 0
    let first = store(young)
    try await first.open()
    await first.writer.rest()
    await first.close()
    #expect(FileManager.default.fileExists(atPath: orphan))

    var old = young
    old.now = { Date() + 7_200 }
    let second = store(old)
    try await second.open()
    await second.writer.rest()
    await second.close()

    #expect(!FileManager.default.fileExists(atPath: orphan))
    #expect(heard.all == [.orphansRemoved(count: 1)])
    let third = store()
    for number in 0..<3 {
      #expect(await third.find(try sample(number, 50_000).key, for: [:]) != nil)
    }
  }

  @Test func `opening removes leftovers of ended processes from the spool`() async throws {
    try await fill(1_000)
    try Data("left".utf8).write(to: SpoolFile.place(in: URL(fileURLWithPath: path("spool"))))

    let store = store()
    try await store.open()
    await store.writer.rest()

    #expect(sandbox.files(in: "store/spool").isEmpty)
  }
}
