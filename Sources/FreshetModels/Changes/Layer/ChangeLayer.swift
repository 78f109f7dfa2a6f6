import Freshet

/// The optimistic layer: the models that pending changes have changed, over their confirmed records.
///
/// The tables of models have what is shown. ``lift(_:)`` puts the confirmed records back, and
/// ``lower(_:)`` applies the changes again, in the order in which they were made. Changes that have
/// changed or read the same model, directly or by others between them, are lifted together.
struct ChangeLayer {
  let connection: ModelConnection

  /// The changes that were lifted, and the models that were put back.
  struct Lifted {
    /// The changes, with the models on which their effects depended.
    var changes: [Int64: Set<EntityKey>] = [:]
    var keys: Set<EntityKey> = []
  }

  /// A Boolean value that indicates whether no pending change depends on a model.
  var isEmpty: Bool {
    get throws(SQLiteError) { try connection.integer("SELECT EXISTS (SELECT 1 FROM touch)") == 0 }
  }

  // MARK: - Lifting

  /// Lifts the changes that have changed one of the models, or read it.
  func lift(_ keys: Set<EntityKey>) throws(SQLiteError) -> Lifted {
    let lifted = try connected(to: keys)
    try restore(lifted)
    return lifted
  }

  private func connected(to keys: Set<EntityKey>) throws(SQLiteError) -> Lifted {
    var lifted = Lifted()
    var toVisit = keys
    while let key = toVisit.popFirst() {
      let changes = try changes(touching: key)
      if !changes.isEmpty { lifted.keys.insert(key) }
      for number in changes where lifted.changes[number] == nil {
        let touched = try touched(by: number)
        lifted.changes[number] = touched
        toVisit.formUnion(touched.subtracting(lifted.keys))
      }
    }
    return lifted
  }

  /// Lifts a change, with those that have changed the same models.
  func lift(change number: Int64) throws(SQLiteError) -> Lifted {
    try lift(try touched(by: number))
  }

  func liftAll() throws(SQLiteError) -> Lifted {
    var lifted = Lifted()
    lifted.keys = Set(try self.keys("SELECT model, entity FROM base"))
    for number in try connection.integers("SELECT DISTINCT change FROM touch") {
      lifted.changes[number] = try touched(by: number)
    }
    try restore(lifted)
    return lifted
  }

  private func restore(_ lifted: Lifted) throws(SQLiteError) {
    var confirmed: [(EntityKey, Base)] = []
    for key in lifted.keys {
      guard let base = try base(key) else { continue }
      try connection.run(
        "DELETE FROM base WHERE model = ? AND entity = ?",
        .text(key.model),
        key.id.bound
      )
      if base.record != nil {
        confirmed.append((key, base))
      } else if let table = try connection.table(key.model), let row = try table.row(key.id) {
        // First, because it may be in the row of a model that is put back.
        try table.delete(row.number)
      }
    }
    for (key, base) in confirmed { try restore(key, base) }
    for number in lifted.changes.keys {
      try connection.run("DELETE FROM touch WHERE change = ?", .integer(number))
      try connection.run("DELETE FROM unapplied WHERE change = ?", .integer(number))
    }
  }

  private func restore(_ key: EntityKey, _ base: Base) throws(SQLiteError) {
    guard let record = base.record, var table = try connection.table(key.model) else { return }
    let row = try table.row(key.id)
    if record.version < table.version {
      // It has missed a migration since, which the next use of the type makes up for.
      try connection.run(
        "UPDATE model SET version = ? WHERE number = ?",
        .integer(Int64(record.version)),
        .integer(table.number)
      )
      connection.forgetTables()
      guard let reloaded = try connection.table(key.model) else { return }
      table = reloaded
    }
    if let row {
      try table.update(row.number, record)
    } else {
      try table.insert(key.id, record, at: base.place)
    }
  }

  // MARK: - Lowering

  /// Applies changes, which come with the models on which their effects depended.
  ///
  /// One that fails has no effect, one whose type is not known here is noted. If one depends on
  /// other models than before, as later changes do, all changes are lifted and applied in order.
  func lower(_ lifted: [Int64: Set<EntityKey>]) throws(FreshetError) -> ModelChanges {
    var changes = ModelChanges()
    let table = ChangeTable(connection: connection)
    for (number, touched) in lifted.sorted(by: { $0.key < $1.key }) {
      let row = try connection.report(try table.row(number))
      guard let row, row.state != .failed else { continue }
      // Also one without an effect may have one over the next state of its model.
      try connection.report(try touch(row.subject, for: number))
      guard let type = connection.changeTypes?[row.type] else {
        let sql = "INSERT OR IGNORE INTO unapplied (change) VALUES (?)"
        try connection.report(try connection.run(sql, .integer(number)))
        continue
      }
      let failures = connection.failureCount
      do throws(FreshetError) {
        changes.add(try apply(row, type))
      } catch {
        if connection.failureCount > failures || !connection.sqlite.isInTransaction { throw error }
        // What it lacks may be one of these, and come back.
        try connection.reporting { () throws(SQLiteError) in
          for key in touched { try touch(key, for: number) }
        }
      }
      let all: Lifted? = try connection.report(try isOverLater(number, touched) ? liftAll() : nil)
      guard let all else { continue }
      for key in all.keys { changes.add(key) }
      changes.add(try lower(all.changes.merging(lifted) { $0.union($1) }))
      return changes
    }
    return changes
  }

  /// Returns a Boolean value that indicates whether a change was applied over later ones.
  ///
  /// - Parameters:
  ///   - number: The change.
  ///   - known: The models on which its former effect depended; later changes of these are lifted.
  /// - Returns: `true` if a later change that is not lifted depends on one of the other models.
  /// - Throws: The failure of the database.
  private func isOverLater(
    _ number: Int64,
    _ known: Set<EntityKey>
  ) throws(SQLiteError) -> Bool {
    for key in try touched(by: number).subtracting(known)
    where try changes(touching: key).contains(where: { $0 > number }) {
      return true
    }
    return false
  }

  /// Applies one change, all of it or nothing.
  func apply(_ row: ChangeRow, _ type: ChangeType) throws(FreshetError) -> ModelChanges {
    try connection.inSavepoint("change") { () throws(FreshetError) in
      let transaction = ModelTransaction(connection, applying: row.number)
      try type.apply(row.body, transaction)
      if let failure = transaction.failure { throw failure }
      return transaction.changes
    }
  }

  /// Stores the confirmed record of a model that a pending change is about to change.
  func capture(
    _ key: EntityKey,
    _ row: ModelTable.Row?,
    for change: Int64
  ) throws(SQLiteError) {
    try connection.run(
      "INSERT OR IGNORE INTO base (model, entity, version, body, place) VALUES (?, ?, ?, ?, ?)",
      .text(key.model),
      key.id.bound,
      row.map { .integer(Int64($0.record.version)) } ?? .null,
      row.map { .bytes($0.record.bytes) } ?? .null,
      row.map { .integer($0.number) } ?? .null
    )
    try touch(key, for: change)
  }

  /// Notes that the effect of a pending change depends on a model, stored or not.
  func touch(_ key: EntityKey, for change: Int64) throws(SQLiteError) {
    try connection.run(
      "INSERT OR IGNORE INTO touch (change, model, entity) VALUES (?, ?, ?)",
      .integer(change),
      .text(key.model),
      key.id.bound
    )
  }
}

// MARK: - Reading

extension ChangeLayer {
  /// The confirmed record of a model with pending changes.
  struct Base {
    /// The record; `nil` if the model is not confirmed.
    let record: StoredRecord?
    /// The number of its row, by which queries without an order find it.
    var place: Int64 = 0
  }

  /// Returns the confirmed record; `nil` if no pending change has changed the model.
  func base(_ key: EntityKey) throws(SQLiteError) -> Base? {
    try connection.row(
      "SELECT version, body, place FROM base WHERE model = ? AND entity = ?",
      [.text(key.model), key.id.bound]
    ) { row in
      if row.isNull(0) { return Base(record: nil) }
      let record = StoredRecord(version: Int(row.integer(0)), bytes: row.bytes(1))
      return Base(record: record, place: row.integer(2))
    }
  }

  /// The changes that another process has lifted without knowing their types.
  ///
  /// They can be applied here if all changes that are lifted with them are known: two processes that each
  /// know a part would otherwise lift the part of the other again and again.
  func unapplied(_ types: ChangeTypes) throws(SQLiteError) -> [Int64] {
    let sql = "SELECT DISTINCT change FROM unapplied JOIN touch USING (change)"
    let unapplied = try connection.integers(sql)
    if unapplied.isEmpty { return [] }
    let entries = try ChangeTable(connection: connection).entries(types)
    let known = Set(entries.filter(\.isKnown).map(\.number))
    var found: [Int64] = []
    for number in unapplied {
      let lifted = try connected(to: touched(by: number))
      if known.isSuperset(of: lifted.changes.keys) { found.append(number) }
    }
    return found
  }

  var pendingKeys: Set<EntityKey> {
    get throws(SQLiteError) { Set(try keys("SELECT model, entity FROM base")) }
  }

  private func changes(touching key: EntityKey) throws(SQLiteError) -> [Int64] {
    let all = EntityKey.all(key.model)
    if key == all {
      return try connection.integers("SELECT change FROM touch WHERE model = ?", [.text(key.model)])
    }
    return try connection.integers(
      "SELECT change FROM touch WHERE model = ? AND entity IN (?, ?)",
      [.text(key.model), key.id.bound, all.id.bound]
    )
  }

  private func touched(by change: Int64) throws(SQLiteError) -> Set<EntityKey> {
    Set(try keys("SELECT model, entity FROM touch WHERE change = ?", .integer(change)))
  }

  private func keys(
    _ sql: String,
    _ parameters: SQLiteValue...
  ) throws(SQLiteError) -> [EntityKey] {
    try connection.rows(sql, parameters) {
      EntityKey(model: $0.textIfText(0) ?? "", id: EntityID($0, column: 1))
    }
  }
}

extension EntityKey {
  /// The key of all models with a name, on which a change depends that has read a query.
  static func all(_ model: String) -> EntityKey {
    // No record begins with this byte.
    EntityKey(model: model, id: .bytes([0xFF]))
  }
}

extension ModelConnection {
  /// Calls a closure in a savepoint: what it has written is taken back if it throws.
  func inSavepoint<Value>(
    _ name: String,
    _ body: () throws(FreshetError) -> Value
  ) throws(FreshetError) -> Value {
    try report(try run("SAVEPOINT \(name)"))
    do throws(FreshetError) {
      let value = try body()
      try? run("RELEASE \(name)")
      return value
    } catch {
      forgetTables()
      do throws(SQLiteError) {
        try run("ROLLBACK TO \(name)")
      } catch {
        // A part of it must not be committed with the rest.
        try? sqlite.run("ROLLBACK")
      }
      try? run("RELEASE \(name)")
      throw error
    }
  }
}
