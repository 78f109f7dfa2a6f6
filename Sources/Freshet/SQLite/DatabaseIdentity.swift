/// The application and the version that a database belongs to, as recorded in the file's header.
package struct DatabaseIdentity {
  /// The application's ID, four letters as a number.
  ///
  /// Databases of other programs are left alone.
  let application: Int64
  let version: Int64

  package init(application: Int64, version: Int64) {
    self.application = application
    self.version = version
  }

  package enum State {
    case empty
    case current
    case older(Int64)
  }

  /// Returns the state of a database, which is only read.
  ///
  /// - Throws: A refusal if another program wrote it, or a newer version of Freshet.
  package func state(of connection: SQLiteConnection) throws(SQLiteError) -> State {
    let found = try connection.integer("PRAGMA user_version")
    guard try connection.integer("SELECT count(*) FROM sqlite_schema") > 0 else { return .empty }
    guard try connection.integer("PRAGMA application_id") == application else {
      throw SQLiteError(refusal: "its database belongs to another program")
    }
    guard found <= version else {
      throw SQLiteError(refusal: "a newer version of Freshet wrote it (\(found))")
    }
    return found == version ? .current : .older(found)
  }

  /// The statements that record the identity.
  package var statements: String {
    """
    PRAGMA application_id = \(application);
    PRAGMA user_version = \(version);
    """
  }
}
