import Freshet

/// The tables, their version, and the settings of a connection.
///
/// - `model`: a number for each model's name, and the oldest version that its records may have.
/// - `field`: the coding paths that are indexed, as columns `f1`, `f2`, … of the model's table.
///   Every version of an app fills all of them, including unknown ones. One of them is
///   ``ModelTable/stamp``.
/// - `entity_N`: the records of model N.
/// - `list` and `member`: in which order a server has what a query finds.
/// - `refresh`: when a live query was answered by the network last.
/// - `change`: the changes that the server has not confirmed, see ``ChangeTable``.
/// - `touch` and `base`: the models on which the effects of pending changes depend, and the confirmed
///   records of those that they have changed; see ``ChangeLayer``.
/// - `unapplied`: the pending changes without an effect because the process that lifted them does not
///   know their types.
/// - `need` and `alias`: the changes that wait for an identity, and the identities that the server has
///   assigned; see ``ChangeIdentities``.
enum ModelSchema {
  /// The largest number of names in `list`, and in `refresh`; the oldest are deleted.
  static let nameLimit = 1_000

  /// The application identifier ("FRMO") and the version in the header.
  static let identity = DatabaseIdentity(application: 0x4652_4D4F, version: 1)

  static func create(_ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.run(
      """
      BEGIN IMMEDIATE;
      CREATE TABLE model (
        number INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        version INTEGER NOT NULL
      );
      CREATE TABLE field (
        model INTEGER NOT NULL,
        number INTEGER NOT NULL,
        path TEXT NOT NULL,
        PRIMARY KEY (model, number),
        UNIQUE (model, path)
      ) WITHOUT ROWID;
      CREATE TABLE refresh (name BLOB PRIMARY KEY, time REAL NOT NULL) WITHOUT ROWID;
      \(lists)
      \(changes)
      \(identity.statements)
      COMMIT;
      """
    )
  }

  /// Adds what earlier versions of Freshet did not make, and do without.
  static func complete(_ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.run(lists + changes)
  }

  private static let changes = """
    CREATE TABLE IF NOT EXISTS change (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      type TEXT NOT NULL,
      body BLOB NOT NULL,
      key TEXT NOT NULL,
      model TEXT NOT NULL,
      entity NOT NULL,
      creates INTEGER NOT NULL,
      state INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      time REAL NOT NULL,
      due REAL,
      reason TEXT,
      status INTEGER,
      answer BLOB,
      base_version INTEGER,
      base BLOB
    );
    CREATE INDEX IF NOT EXISTS change_entity ON change (model, entity);
    CREATE TABLE IF NOT EXISTS touch (
      change INTEGER NOT NULL,
      model TEXT NOT NULL,
      entity NOT NULL,
      PRIMARY KEY (change, model, entity)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS touch_entity ON touch (model, entity);
    CREATE TABLE IF NOT EXISTS base (
      model TEXT NOT NULL,
      entity NOT NULL,
      version INTEGER,
      body BLOB,
      place INTEGER,
      PRIMARY KEY (model, entity)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS unapplied (change INTEGER PRIMARY KEY);
    CREATE TABLE IF NOT EXISTS need (
      change INTEGER NOT NULL,
      creator INTEGER NOT NULL,
      PRIMARY KEY (change, creator)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS need_creator ON need (creator);
    CREATE TABLE IF NOT EXISTS alias (
      model TEXT NOT NULL,
      temporary NOT NULL,
      permanent NOT NULL,
      PRIMARY KEY (model, temporary)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS alias_temporary ON alias (temporary);
    """

  private static let lists = """
    CREATE TABLE IF NOT EXISTS list (number INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE);
    CREATE TABLE IF NOT EXISTS member (
      list INTEGER NOT NULL,
      entity NOT NULL,
      place INTEGER NOT NULL,
      PRIMARY KEY (list, entity)
    ) WITHOUT ROWID;
    """

  static func createEntities(
    _ number: Int64,
    in connection: SQLiteConnection
  ) throws(SQLiteError) {
    try connection.run(
      """
      CREATE TABLE entity_\(number) (
        row INTEGER PRIMARY KEY,
        id NOT NULL UNIQUE,
        version INTEGER NOT NULL,
        body BLOB NOT NULL
      )
      """
    )
  }

  /// Adds a column, and an index of it for the rows that a condition selects.
  static func addField(
    _ field: Int,
    to number: Int64,
    indexing condition: String,
    in connection: SQLiteConnection
  ) throws(SQLiteError) {
    try connection.run("ALTER TABLE entity_\(number) ADD COLUMN f\(field)")
    try connection.run(
      "CREATE INDEX entity_\(number)_f\(field) ON entity_\(number) (f\(field)) \(condition)"
    )
  }
}
