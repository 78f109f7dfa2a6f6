/// The tables, their version, and the settings of a connection.
enum DiskSchema {
  static let version: Int64 = 2
  /// "FRSH", in the file's header: other programs' databases are left alone.
  static let application: Int64 = 0x4652_5348

  enum State {
    case empty
    case current
    case older(Int64)
    case newer(Int64)
    case foreign
  }

  /// Only reads.
  static func state(of connection: SQLiteConnection) throws(SQLiteError) -> State {
    let version = try connection.integer("PRAGMA user_version")
    guard try connection.integer("SELECT count(*) FROM sqlite_schema") > 0 else { return .empty }
    guard try connection.integer("PRAGMA application_id") == application else { return .foreign }
    if version == Self.version { return .current }
    return version < Self.version ? .older(version) : .newer(version)
  }

  /// What a database gets before its first table.
  static func found(_ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.run("PRAGMA auto_vacuum = INCREMENTAL")
  }

  /// The writer's settings; write-ahead logging lets readers go on while it writes.
  static func configure(
    _ connection: SQLiteConnection,
    durability: DiskStore.Durability
  ) throws(SQLiteError) {
    try connection.run(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = \(durability == .power ? "FULL" : "NORMAL");
      PRAGMA wal_autocheckpoint = 2000;
      PRAGMA journal_size_limit = 33554432;
      PRAGMA cell_size_check = ON;
      PRAGMA secure_delete = FAST;
      PRAGMA fullfsync = \(durability == .power ? "ON" : "OFF");
      PRAGMA checkpoint_fullfsync = \(durability == .power ? "ON" : "OFF");
      PRAGMA temp_store = MEMORY;
      """
    )
  }

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
      PRAGMA application_id = \(application);
      PRAGMA user_version = \(version);
      COMMIT;
      """
    )
  }
}
