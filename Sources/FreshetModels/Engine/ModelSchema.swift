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
enum ModelSchema {
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
      \(identity.statements)
      COMMIT;
      """
    )
  }

  /// Adds what earlier versions of Freshet did not make, and do without.
  static func complete(_ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.run(lists)
  }

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

  static func addField(
    _ field: Int,
    to number: Int64,
    in connection: SQLiteConnection
  ) throws(SQLiteError) {
    try connection.run("ALTER TABLE entity_\(number) ADD COLUMN f\(field)")
    try connection.run("CREATE INDEX entity_\(number)_f\(field) ON entity_\(number) (f\(field))")
  }

  static func addStamp(
    _ field: Int,
    to number: Int64,
    in connection: SQLiteConnection
  ) throws(SQLiteError) {
    try connection.run("ALTER TABLE entity_\(number) ADD COLUMN f\(field)")
    try connection.run(
      """
      CREATE INDEX entity_\(number)_f\(field) ON entity_\(number) (f\(field))
      WHERE f\(field) IS NULL
      """
    )
  }
}
