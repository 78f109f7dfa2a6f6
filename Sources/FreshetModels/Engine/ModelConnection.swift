import Freshet
import FreshetEssentials

/// A connection to the database, with its cached tables and statements.
///
/// It is used by one thread at a time: it is in a `Mutex`.
final class ModelConnection {
  private static let statementLimit = 64

  let sqlite: SQLiteConnection
  let generation: Int
  /// The types of the changes that this process knows; the writer's connection only.
  let changeTypes: ChangeTypes?
  private var tables: [String: ModelTable] = [:]
  private var statements: [String: SQLiteStatement] = [:]
  /// The types whose tables have been prepared; the writer's connection only.
  private var prepared: Set<ObjectIdentifier> = []
  /// The version of the types with a name; the writer's connection only.
  private var versions: [String: Int] = [:]
  /// A Boolean value that indicates whether SQLite has found the file damaged.
  var isDamaged = false
  /// A Boolean value that indicates whether there was no space for a change.
  var isFull = false
  /// The number of failures of the database itself, such as a full disk: another try may succeed.
  private(set) var failureCount = 0
  /// The time of the last look at the file's path.
  private var lastLook: ContinuousClock.Instant?

  init(_ sqlite: SQLiteConnection, generation: Int, changeTypes: ChangeTypes? = nil) {
    self.sqlite = sqlite
    self.generation = generation
    self.changeTypes = changeTypes
  }

  /// Drops the cached tables, which a rollback or another process may have changed.
  func forgetTables() {
    tables = [:]
    prepared = []
  }

  /// Returns a cached statement; the caller resets it.
  func statement(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    if let statement = statements[sql] { return statement }
    if statements.count >= Self.statementLimit { statements = [:] }
    let statement = try sqlite.prepare(sql)
    statements[sql] = statement
    return statement
  }

  func run(_ sql: String, _ parameters: SQLiteValue...) throws(SQLiteError) {
    try statement(sql).run(parameters)
  }

  /// Returns a value for each row that a statement finds.
  func rows<Value>(
    _ sql: String,
    _ parameters: [SQLiteValue] = [],
    _ read: (SQLiteStatement) -> Value
  ) throws(SQLiteError) -> [Value] {
    try statement(sql).rows(parameters, read)
  }

  /// Returns the numbers in the first column.
  func integers(_ sql: String, _ parameters: [SQLiteValue] = []) throws(SQLiteError) -> [Int64] {
    try rows(sql, parameters) { $0.integer(0) }
  }

  /// Returns a value for the first row that a statement finds; `nil` if there is none.
  func row<Value>(
    _ sql: String,
    _ parameters: [SQLiteValue] = [],
    _ read: (SQLiteStatement) -> Value
  ) throws(SQLiteError) -> Value? {
    let select = try statement(sql)
    defer { select.reset() }
    try select.bind(parameters)
    return try select.step() ? read(select) : nil
  }

  func integer(_ sql: String) throws(SQLiteError) -> Int64 {
    try row(sql) { $0.integer(0) } ?? 0
  }

  /// Returns a value, and throws the error of reading or writing it as the failure for callers.
  func report<Value>(
    _ value: @autoclosure () throws(SQLiteError) -> Value
  ) throws(FreshetError) -> Value {
    try reporting(value)
  }

  /// Calls a closure, and throws its error as the failure for callers.
  func reporting<Value>(
    _ body: () throws(SQLiteError) -> Value
  ) throws(FreshetError) -> Value {
    do throws(SQLiteError) {
      return try body()
    } catch {
      throw failure(error)
    }
  }

  /// Returns the failure for callers.
  func failure(_ error: SQLiteError) -> FreshetError {
    if !error.isRefusal { failureCount += 1 }
    if error.isFull { isFull = true }
    guard error.isCorruption else { return .store(error.reason) }
    isDamaged = true
    return .store("the database is damaged: \(error.message)")
  }

  /// Copies the log to the database, so that the next change takes its place on a full disk.
  ///
  /// - Returns: `false` if that needs space, too.
  func emptyLog() -> Bool {
    (try? sqlite.run("PRAGMA wal_checkpoint(PASSIVE)")) != nil
  }

  /// Checks whether the file is damaged, as a reader has reported.
  func check() throws(SQLiteError) {
    let result = try row("PRAGMA quick_check(1)") { $0.textIfText(0) }
    if let result, result != "ok" { isDamaged = true }
  }
}

// MARK: - Replacement

extension ModelConnection {
  private static let lookInterval = Duration.milliseconds(10)

  /// Returns a Boolean value that indicates whether another file has taken the place of this one.
  ///
  /// It looks once in 10 ms: a look takes a part of the time of a short read.
  func wasReplaced(at path: String) -> Bool {
    let now = ContinuousClock.now
    if let lastLook, now - lastLook < Self.lookInterval { return false }
    lastLook = now
    // A removed one is read until it is created again.
    return sqlite.hasMoved && access(path, F_OK) == 0
  }
}

// MARK: - Tables

extension ModelConnection {
  func table(_ name: String) throws(SQLiteError) -> ModelTable? {
    if let table = tables[name] { return table }
    let known = try row("SELECT number, version FROM model WHERE name = ?", [.text(name)]) {
      (number: $0.integer(0), version: Int($0.integer(1)))
    }
    guard let known else { return nil }
    let fields = "SELECT number, path FROM field WHERE model = ? ORDER BY number"
    let table = ModelTable(
      number: known.number,
      name: name,
      version: known.version,
      fields: try rows(fields, [.integer(known.number)]) {
        ModelTable.Field(number: $0.integer(0), path: $0.textIfText(1) ?? "")
      },
      connection: sqlite
    )
    tables[name] = table
    return table
  }

  /// Reads the table again, because fields may have been added.
  func reloadedTable(_ name: String) throws(SQLiteError) -> ModelTable? {
    tables[name] = nil
    return try table(name)
  }

  func isPrepared(_ type: any PersistableModel.Type) -> Bool {
    prepared.contains(ObjectIdentifier(type))
  }

  func setPrepared(_ type: any PersistableModel.Type) {
    prepared.insert(ObjectIdentifier(type))
  }

  /// Checks that the types with the same name have the same version, because otherwise each would
  /// migrate the records of the other again and again.
  func agree(on type: any PersistableModel.Type) throws(SQLiteError) {
    let (name, version) = (type.modelName, type.modelVersion)
    let first = versions[name] ?? version
    versions[name] = first
    if first == version { return }
    throw SQLiteError(
      refusal: "two types are called \(name), one in version \(first), one in version \(version)"
    )
  }
}
