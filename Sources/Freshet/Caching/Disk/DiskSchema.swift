/// The tables, their version, and the settings of a connection.
enum DiskSchema {
  /// The application identifier ("FRSH") and the version in the header.
  ///
  /// Databases before version 3 may hold cookies, and changes without their order; they are
  /// discarded.
  static let identity = DatabaseIdentity(application: 0x4652_5348, version: 3)

  /// Configures a new database before its first table is created.
  static func found(_ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.run("PRAGMA auto_vacuum = INCREMENTAL")
  }

  /// Applies the writer's settings.
  static func configure(
    _ connection: SQLiteConnection,
    durability: DiskStore.Durability
  ) throws(SQLiteError) {
    try connection.useWriteAheadLog(survives: durability == .power)
    try connection.run("PRAGMA secure_delete = FAST")
    connection.keepsLog()
  }

  /// Creates the tables.
  ///
  /// Uses have a table of their own: a hit rewrites a few bytes of a dense page, and no body.
  static func create(_ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.run(
      """
      BEGIN IMMEDIATE;
      CREATE TABLE response (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL,
        varying BLOB NOT NULL,
        head BLOB NOT NULL,
        digest BLOB NOT NULL,
        length INTEGER NOT NULL,
        file TEXT,
        stored REAL NOT NULL,
        cost INTEGER NOT NULL,
        fingerprint INTEGER NOT NULL,
        bytes BLOB,
        UNIQUE (key, varying)
      );
      CREATE UNIQUE INDEX response_file ON response (file) WHERE file IS NOT NULL;
      CREATE TABLE usage (response INTEGER PRIMARY KEY, used INTEGER NOT NULL);
      CREATE INDEX usage_used ON usage (used);
      CREATE TABLE tag (
        name TEXT NOT NULL,
        response INTEGER NOT NULL,
        PRIMARY KEY (name, response)
      ) WITHOUT ROWID;
      CREATE INDEX tag_response ON tag (response);
      CREATE TABLE total (
        id INTEGER PRIMARY KEY CHECK (id = 0),
        count INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        swept REAL NOT NULL,
        byte_limit INTEGER NOT NULL,
        partial_limit INTEGER NOT NULL
      );
      INSERT INTO total VALUES
        (0, 0, 0, 0, \(DiskLimits.initial.bytes), \(DiskLimits.initial.partialBytes));
      \(identity.statements)
      COMMIT;
      """
    )
  }
}
