import Foundation

extension DiskSession {
  /// Opens the database unless it is open and still where it belongs.
  func prepare() throws(FreshetError) {
    if let opened {
      if !opened.connection.hasMoved { return }
      close()
      shared.report(.directoryVanished)
    }
    let reason: String
    do throws(OpeningFailure) {
      try open()
      return
    } catch {
      reason = error.reason
    }
    shared.failed(reason)
    throw .store(reason)
  }

  /// Why it could not be opened, as the end of a sentence.
  private struct OpeningFailure: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }

  /// Opens under the directory's lock, so that one process at a time makes or replaces a database.
  private func open() throws(OpeningFailure) {
    let layout = shared.layout
    let directoryLock: OpenFile
    do throws(FileFailure) {
      for directory in [layout.directory, layout.bodies, layout.spool] {
        try PrivateDirectory.make(directory.path)
      }
      directoryLock = try lockDirectory()
    } catch {
      throw OpeningFailure("\(layout.directory.path): \(error.reason)")
    }
    defer { withExtendedLifetime(directoryLock) {} }
    do throws(SQLiteError) {
      try connect()
    } catch {
      guard error.isCorruption else { throw OpeningFailure(error.reason) }
      setAside(because: error)
      do throws(SQLiteError) {
        try connect()
      } catch {
        throw OpeningFailure(error.reason)
      }
    }
    generation += 1
    shared.opened(generation: generation)
    beginSweep()
  }

  func lockDirectory() throws(FileFailure) -> OpenFile {
    let file = try OpenFile(shared.layout.directory.path, O_RDONLY | O_DIRECTORY)
    try file.lock()
    return file
  }

  private func connect() throws(SQLiteError) {
    let path = shared.layout.database.path
    // SQLite would make it readable to others; its companions get the same mode as the database.
    _ = try? OpenFile(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    let connection = try SQLiteConnection(path, isCreating: true, patience: 5_000)
    switch try DiskSchema.state(of: connection) {
    case .foreign:
      throw SQLiteError(refusal: "its database belongs to another program")
    case .newer(let version):
      throw SQLiteError(refusal: "a newer version of Freshet wrote it (\(version))")
    case .empty:
      try DiskSchema.found(connection)
      try DiskSchema.configure(connection, durability: shared.configuration.durability)
      try DiskSchema.create(connection)
    case .current:
      try DiskSchema.configure(connection, durability: shared.configuration.durability)
    }
    try DiskSchema.addInvalidations(connection)
    opened = Opened(
      connection: connection,
      transaction: try DiskTransaction(
        connection,
        tuning: shared.tuning,
        generation: generation + 1
      )
    )
  }
}

// MARK: - Recovery

extension DiskSession {
  /// Sets a damaged database aside and begins another one.
  ///
  /// - Returns: Whether there is a sound database now.
  func recover(from error: SQLiteError) -> Bool {
    do throws(FileFailure) {
      let directoryLock = try lockDirectory()
      // If it has moved, another process has found the damage first.
      if opened?.connection.hasMoved == false {
        close()
        setAside(because: error)
      }
      withExtendedLifetime(directoryLock) {}
    } catch {
      shared.couldNotWrite(error.reason)
    }
    close()
    do throws(FreshetError) {
      try prepare()
      return true
    } catch {
      return false
    }
  }

  /// The one that was set aside before is replaced: at most one is kept.
  private func setAside(because error: SQLiteError) {
    opened = nil
    let layout = shared.layout
    for file in layout.databaseFiles.reversed() where file != layout.database.path {
      unlink(file)
    }
    if error.isDiscarded {
      unlink(layout.database.path)
    } else {
      rename(layout.database.path, layout.corruptDatabase.path)
    }
    shared.report(.databaseReplaced(reason: error.reason))
  }

  private func close() {
    readers.close()
    opened = nil
  }
}
