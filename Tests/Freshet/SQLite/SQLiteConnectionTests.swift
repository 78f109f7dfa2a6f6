import Foundation
import Testing

@testable import Freshet

@Suite struct SQLiteConnectionTests {
  private let sandbox = StoreSandbox()

  @Test(arguments: [false, true])
  func `a closed database keeps the files without which a full device could not open it`(
    closesReaderLast: Bool
  ) throws {
    let path = sandbox.url.appendingPathComponent("a.sqlite").path
    var writer: SQLiteConnection? = try SQLiteConnection(writing: path)
    try writer?.useWriteAheadLog(survives: false)
    try writer?.run("CREATE TABLE a (b); INSERT INTO a VALUES (7)")
    var reader: SQLiteConnection? = try SQLiteConnection(path, isCreating: false, patience: 0)
    #expect(try reader?.integer("SELECT b FROM a") == 7)

    if closesReaderLast { writer = nil }
    reader = nil
    writer = nil

    #expect(sandbox.files() == ["a.sqlite", "a.sqlite-shm", "a.sqlite-wal"])
    #expect(try Data(contentsOf: sandbox.url.appendingPathComponent("a.sqlite-wal")).isEmpty)
    let immutable = try SQLiteConnection(immutable: path)
    #expect(try immutable.integer("SELECT b FROM a") == 7)
  }
}
