#if !canImport(Darwin)
import CSQLite
import Foundation
import Synchronization

/// Tweets and their users in tables of their own, by the SQLite C API: one connection, prepared
/// statements, write-ahead logging, and a hook that says which row has changed.
///
/// Unchecked: the connection is used within the lock only.
final class HandWrittenModels: @unchecked Sendable {
  private let lock = Mutex(())
  private let changed = UnsafeMutablePointer<Int64>.allocate(capacity: 1)
  private var database: OpaquePointer?
  private var statements: [Statement: OpaquePointer] = [:]

  private enum Statement: String, CaseIterable {
    case begin = "BEGIN IMMEDIATE"
    case commit = "COMMIT"
    case user = """
      INSERT INTO user VALUES (?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, about = excluded.about
      """
    case tweet = """
      INSERT INTO tweet VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
      SET text = excluded.text, created = excluded.created, likes = excluded.likes,
      user = excluded.user
      """
    case one = """
      SELECT tweet.id, text, created, likes, user, name, about FROM tweet
      JOIN user ON user.id = tweet.user WHERE tweet.id = ?
      """
    case newest = """
      SELECT tweet.id, text, created, likes, user, name, about FROM tweet
      JOIN user ON user.id = tweet.user ORDER BY created DESC LIMIT ?
      """
  }

  init(_ path: String) throws {
    changed.initialize(to: 0)
    guard sqlite3_open(path, &database) == SQLITE_OK else { throw BenchError("sqlite3_open") }
    let schema = """
      PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;
      CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT, about TEXT);
      CREATE TABLE tweet (
        id INTEGER PRIMARY KEY, text TEXT, created REAL, likes INTEGER, user INTEGER
      );
      CREATE INDEX tweet_created ON tweet (created);
      """
    guard sqlite3_exec(database, schema, nil, nil, nil) == SQLITE_OK else {
      throw BenchError("no tables")
    }
    for statement in Statement.allCases {
      var handle: OpaquePointer?
      sqlite3_prepare_v2(database, statement.rawValue, -1, &handle, nil)
      statements[statement] = handle
    }
    sqlite3_update_hook(
      database,
      { context, _, _, _, row in context?.assumingMemoryBound(to: Int64.self).pointee = row },
      changed
    )
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close(database)
    changed.deallocate()
  }

  /// One transaction for all of them.
  func save(_ tweets: [BenchTweet]) throws {
    try lock.withLock { _ in
      try run(.begin) { _ in }
      for tweet in tweets {
        try run(.user) { statement in
          sqlite3_bind_int64(statement, 1, Int64(tweet.user.id))
          bind(tweet.user.name, at: 2, of: statement)
          bind(tweet.user.about, at: 3, of: statement)
        }
        try run(.tweet) { statement in
          sqlite3_bind_int64(statement, 1, Int64(tweet.id))
          bind(tweet.text, at: 2, of: statement)
          sqlite3_bind_double(statement, 3, tweet.created)
          sqlite3_bind_int64(statement, 4, Int64(tweet.likes))
          sqlite3_bind_int64(statement, 5, Int64(tweet.user.id))
        }
      }
      try run(.commit) { _ in }
    }
  }

  func tweet(_ id: Int) throws -> BenchTweet? {
    try lock.withLock { _ in try tweets(.one, Int64(id)).first }
  }

  func newest(_ count: Int) throws -> [BenchTweet] {
    try lock.withLock { _ in try tweets(.newest, Int64(count)) }
  }

  /// What the hook has named last, as it is now.
  func changedTweet() throws -> BenchTweet? {
    try tweet(Int(changed.pointee))
  }

  private func run(_ name: Statement, _ bind: (OpaquePointer?) -> Void) throws {
    let statement = statements[name]
    bind(statement)
    defer { sqlite3_reset(statement) }
    guard sqlite3_step(statement) == SQLITE_DONE else { throw BenchError("not written") }
  }

  private func tweets(_ name: Statement, _ parameter: Int64) throws -> [BenchTweet] {
    let statement = statements[name]
    defer { sqlite3_reset(statement) }
    sqlite3_bind_int64(statement, 1, parameter)
    var tweets: [BenchTweet] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      tweets.append(
        BenchTweet(
          id: Int(sqlite3_column_int64(statement, 0)),
          text: text(statement, 1),
          created: sqlite3_column_double(statement, 2),
          likes: Int(sqlite3_column_int64(statement, 3)),
          user: BenchUser(
            id: Int(sqlite3_column_int64(statement, 4)),
            name: text(statement, 5),
            about: text(statement, 6)
          )
        )
      )
    }
    return tweets
  }

  private func text(_ statement: OpaquePointer?, _ column: Int32) -> String {
    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
  }

  private func bind(_ text: String, at position: Int32, of statement: OpaquePointer?) {
    _ = text.withCString {
      sqlite3_bind_text(statement, position, $0, -1, HandWrittenSQLite.copied)
    }
  }
}
#endif
