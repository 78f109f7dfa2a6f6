import Freshet
import FreshetEssentials

struct ChangeTable {
  /// The name under which changes of the queue are announced to observers; no model can have it.
  static let announcement = EntityKey(model: "(changes)", id: .integer(0))

  private static let columns = """
    number, id, type, body, key, model, entity, creates, state, attempts, time, due, reason,
    status, answer, base_version, base
    """

  let connection: ModelConnection

  func row(_ number: Int64) throws(SQLiteError) -> ChangeRow? {
    try rows("number = ?", .integer(number)).first
  }

  func row(_ id: UUID) throws(SQLiteError) -> ChangeRow? {
    try rows("id = ?", .text(id.uuidString)).first
  }

  /// The last change of a model that is not refused.
  func last(of subject: EntityKey) throws(SQLiteError) -> ChangeRow? {
    try rows(
      "model = ? AND entity = ? AND state != 2 ORDER BY number DESC LIMIT 1",
      .text(subject.model),
      subject.id.bound
    )
    .first
  }

  /// The changes of the same model that were made after a change.
  func rows(behind row: ChangeRow) throws(SQLiteError) -> [ChangeRow] {
    try rows(
      "number > ? AND model = ? AND entity = ? ORDER BY number",
      .integer(row.number),
      .text(row.subject.model),
      row.subject.id.bound
    )
  }

  /// The changes that may name an identity, also in their bases, and those of its model, in their order.
  func rows(
    naming replacement: IdentityReplacement,
    orOf subject: EntityKey
  ) throws(SQLiteError) -> [ChangeRow] {
    let (pattern, keyPattern) = (replacement.pattern, replacement.keyPattern)
    return try rows(
      """
      model = ? AND entity = ? OR instr(body, ?) OR instr(body, ?) OR instr(base, ?)
        OR instr(base, ?) ORDER BY number
      """,
      .text(subject.model),
      subject.id.bound,
      .bytes(pattern),
      .bytes(keyPattern),
      .bytes(pattern),
      .bytes(keyPattern)
    )
  }

  /// The changes for which a condition holds, in their order unless the condition says another.
  func rows(
    _ condition: String = "1 ORDER BY number",
    _ parameters: SQLiteValue...
  ) throws(SQLiteError) -> [ChangeRow] {
    try connection.rows(
      "SELECT \(Self.columns) FROM change WHERE \(condition)",
      parameters,
      Self.row
    )
  }

  private static func row(_ select: SQLiteStatement) -> ChangeRow {
    ChangeRow(
      number: select.integer(0),
      id: UUID(uuidString: select.textIfText(1) ?? "") ?? UUID(),
      type: select.textIfText(2) ?? "",
      body: select.bytes(3),
      key: select.textIfText(4) ?? "",
      subject: EntityKey(
        model: select.textIfText(5) ?? "",
        id: EntityID(select, column: 6)
      ),
      creates: select.integer(7) != 0,
      state: ChangeRow.State(rawValue: select.integer(8)) ?? .waiting,
      attempts: Int(select.integer(9)),
      time: select.real(10),
      due: select.isNull(11) ? nil : select.real(11),
      failure: select.textIfText(12)
        .map { reason in
          ChangeFailure(
            reason: reason,
            status: select.isNull(13) ? nil : HTTPStatus(Int(select.integer(13))),
            body: Data(select.bytes(14))
          )
        },
      base: select.isNull(15)
        ? nil : StoredRecord(version: Int(select.integer(15)), bytes: select.bytes(16))
    )
  }

  /// The columns by which it is decided what is sent next, in order.
  func entries(_ types: ChangeTypes) throws(SQLiteError) -> [ChangeEntry] {
    try connection.rows(
      """
      SELECT number, model, entity, state, due, type, attempts,
        EXISTS (SELECT 1 FROM need WHERE need.change = change.number)
      FROM change ORDER BY number
      """
    ) { row in
      ChangeEntry(
        number: row.integer(0),
        subject: EntityKey(model: row.textIfText(1) ?? "", id: EntityID(row, column: 2)),
        state: ChangeRow.State(rawValue: row.integer(3)) ?? .waiting,
        isKnown: types[row.textIfText(5) ?? ""] != nil,
        isBlocked: row.integer(7) != 0,
        wasSent: row.integer(6) > 0,
        due: row.isNull(4) ? nil : row.real(4)
      )
    }
  }

  /// The changes that are not refused.
  func pendingIDs() throws(SQLiteError) -> Set<UUID> {
    let ids = try connection.rows("SELECT id FROM change WHERE state != 2") {
      UUID(uuidString: $0.textIfText(0) ?? "")
    }
    return Set(ids.compactMap(\.self))
  }

  // MARK: - Writing

  /// Adds a change behind all others.
  func insert(_ row: ChangeRow) throws(SQLiteError) -> Int64 {
    try connection.run(
      """
      INSERT INTO change
        (id, type, body, key, model, entity, creates, state, attempts, time, base_version, base)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .text(row.id.uuidString),
      .text(row.type),
      .bytes(row.body),
      .text(row.key),
      .text(row.subject.model),
      row.subject.id.bound,
      .integer(row.creates ? 1 : 0),
      .integer(row.state.rawValue),
      .integer(Int64(row.attempts)),
      .real(row.time),
      row.base.map { .integer(Int64($0.version)) } ?? .null,
      row.base.map { .bytes($0.bytes) } ?? .null
    )
    return connection.sqlite.lastInsertedID
  }

  func update(_ row: ChangeRow) throws(SQLiteError) {
    try connection.run(
      """
      UPDATE change SET body = ?, key = ?, entity = ?, state = ?, attempts = ?, due = ?, reason = ?,
        status = ?, answer = ?, base_version = ?, base = ? WHERE number = ?
      """,
      .bytes(row.body),
      .text(row.key),
      row.subject.id.bound,
      .integer(row.state.rawValue),
      .integer(Int64(row.attempts)),
      row.due.map { .real($0) } ?? .null,
      row.failure.map { .text($0.reason) } ?? .null,
      row.failure?.status.map { .integer(Int64($0.rawValue)) } ?? .null,
      row.failure.map { .blob($0.body) } ?? .null,
      row.base.map { .integer(Int64($0.version)) } ?? .null,
      row.base.map { .bytes($0.bytes) } ?? .null,
      .integer(row.number)
    )
  }

  func delete(_ number: Int64) throws(SQLiteError) {
    try connection.run("DELETE FROM change WHERE number = ?", .integer(number))
    try connection.run("DELETE FROM need WHERE change = ?", .integer(number))
  }

  // MARK: - Needs

  /// The changes that wait for the identity that a change creates.
  func needing(_ creator: Int64) throws(SQLiteError) -> [Int64] {
    try connection.integers("SELECT change FROM need WHERE creator = ?", [.integer(creator)])
  }

  /// Returns a Boolean value that indicates whether a change names a model whose creation has failed or was removed.
  func needsFailed(_ change: Int64) throws(SQLiteError) -> Bool {
    let sql = """
      SELECT 1 FROM need LEFT JOIN change ON change.number = need.creator
      WHERE need.change = ? AND ifnull(change.state, 2) = 2 LIMIT 1
      """
    return try connection.row(sql, [.integer(change)]) { _ in true } ?? false
  }

  func addNeed(_ change: Int64, _ creator: Int64) throws(SQLiteError) {
    try connection.run(
      "INSERT OR IGNORE INTO need (change, creator) VALUES (?, ?)",
      .integer(change),
      .integer(creator)
    )
  }

  func removeNeeds(of creator: Int64) throws(SQLiteError) {
    try connection.run("DELETE FROM need WHERE creator = ?", .integer(creator))
  }
}
