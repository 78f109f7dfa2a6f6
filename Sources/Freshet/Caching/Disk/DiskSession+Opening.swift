import FreshetEssentials

extension DiskSession {
  /// Opens the database, unless it is open and still at its path.
  func prepare() throws(FreshetError) {
    if let opened {
      if !opened.connection.hasMoved { return }
      close()
      shared.report(.directoryVanished)
    }
    do throws(OpeningFailure) {
      try openDatabase()
    } catch {
      if error.isReadOnly, canRead() {
        shared.couldNotWrite(error.reason)
      } else {
        shared.failed(error.reason)
      }
      throw .store(error.reason)
    }
  }

  /// The reason why opening failed, as the end of a sentence.
  private struct OpeningFailure: Error {
    let reason: String
    /// A Boolean value that indicates whether only writing is impossible.
    let isReadOnly: Bool

    init(_ reason: String, isReadOnly: Bool = false) {
      self.reason = reason
      self.isReadOnly = isReadOnly
    }

    init(_ error: SQLiteError) {
      self.init(error.reason, isReadOnly: error.isReadOnly)
    }
  }

  /// Opens under the directory's lock, so that one process at a time makes or replaces a database.
  private func openDatabase() throws(OpeningFailure) {
    let layout = shared.layout
    let directoryLock: OpenFile
    do throws(FileFailure) {
      try PrivateDirectory.make(layout.directory.path, isTightened: true)
      for directory in [layout.bodies, layout.spool] { try PrivateDirectory.make(directory.path) }
      directoryLock = try lockDirectory()
      try refuseForeignDatabase()
      if shared.configuration.durability == .power { try synchronizeDirectories() }
    } catch {
      let isReadOnly = [EACCES, EPERM, EROFS].contains(error.code)
      throw OpeningFailure("\(layout.directory.path): \(error.reason)", isReadOnly: isReadOnly)
    }
    defer { withExtendedLifetime(directoryLock) {} }
    do throws(SQLiteError) {
      try connectTwice()
    } catch {
      guard error.isCorruption || error.isOfAnotherSchema else { throw OpeningFailure(error) }
      setAside(because: error)
      do throws(SQLiteError) {
        try connect()
      } catch {
        throw OpeningFailure(error)
      }
    }
    // Another database has other records under the same numbers.
    if generation > 0 { _ = shared.touches.take() }
    generation += 1
    mustSetLimits = true
    shared.opened(generation: generation)
    setExclusionFromBackups()
    // It runs while the writer is idle, without the directory's lock.
    beginSweep()
  }

  /// Takes the directory's lock, which other processes hold briefly while they open the store.
  ///
  /// A process that is suspended while it holds the lock keeps the others from opening the store,
  /// but does not delay their responses: after the first failure they wait a fiftieth of the time.
  func lockDirectory() throws(FileFailure) -> OpenFile {
    let file = try OpenFile(shared.layout.directory.path, O_RDONLY | O_DIRECTORY)
    let patience = shared.tuning.lockPatience
    if case .failed = shared.current {
      try file.lock(within: patience / 50)
    } else {
      try file.lock(within: patience)
    }
    return file
  }

  /// Refuses a database of another user, who may once have had access to the directory.
  private func refuseForeignDatabase() throws(FileFailure) {
    var status = stat()
    let path = shared.layout.database.path
    guard lstat(path, &status) == 0 else { return }
    guard status.st_uid == geteuid(), status.st_mode & S_IFMT == S_IFREG else {
      throw FileFailure(refusing: path, because: "it belongs to another user")
    }
  }

  private func synchronizeDirectories() throws(FileFailure) {
    let directory = shared.layout.directory
    try Directory.synchronize(directory.path)
    try Directory.synchronizeName(of: directory)
  }

  /// Includes the directory in the device's backups, or excludes it; a failure is ignored.
  private func setExclusionFromBackups() {
    #if canImport(Darwin)
    var values = URLResourceValues()
    values.isExcludedFromBackup = shared.configuration.isExcludedFromBackups
    var directory = shared.layout.directory
    try? directory.setResourceValues(values)
    #endif
  }

  /// Connects, and tries again if the database seems to be damaged.
  ///
  /// When a log is recovered and the device cannot read a part of it for a moment, SQLite reports
  /// damage. Only damage that is reported twice counts.
  private func connectTwice() throws(SQLiteError) {
    do throws(SQLiteError) {
      try connect()
    } catch {
      guard error.isCorruption, !error.isDiscarded else { throw error }
      try connect()
    }
  }

  private func connect() throws(SQLiteError) {
    let connection = try SQLiteConnection(writing: shared.layout.database.path)
    switch try DiskSchema.identity.state(of: connection) {
    case .older(let version):
      // The database set aside earlier, and the partial bodies, may hold the same.
      unlink(shared.layout.corruptDatabase.path)
      try? PartialFolder(directory: shared.layout.partials, byteLimit: 0).removeAll()
      try? FileManager.default.removeItem(at: shared.layout.parts)
      throw SQLiteError(discarding: "an earlier version of Freshet wrote it (\(version))")
    case .empty:
      try DiskSchema.found(connection)
      try DiskSchema.configure(connection, durability: shared.configuration.durability)
      try DiskSchema.create(connection)
    case .current:
      try DiskSchema.configure(connection, durability: shared.configuration.durability)
    }
    try DiskSchema.addInvalidations(connection)
    let transaction = try DiskTransaction(
      connection,
      tuning: shared.tuning,
      generation: generation + 1
    )
    shared.limits = try transaction.storedLimits().with(shared.configuration)
    opened = Opened(connection: connection, transaction: transaction)
  }
}

// MARK: - Reading only

extension DiskSession {
  /// Returns a Boolean value that indicates whether the database can be read although it cannot be
  /// written.
  private func canRead() -> Bool {
    let path = shared.layout.database.path
    if case .open(_, let access) = shared.current, access != .full { return true }
    for access in [DiskShared.Access.reading, .readingImmutable] {
      // A log beside the database would be ignored, as what others write into it later would be.
      if access == .readingImmutable, hasLog || isWritable { return false }
      do throws(SQLiteError) {
        let isImmutable = access == .readingImmutable
        let connection =
          isImmutable
          ? try SQLiteConnection(immutable: path)
          : try SQLiteConnection(path, isCreating: false, patience: 100)
        guard case .current = try DiskSchema.identity.state(of: connection) else { return false }
      } catch {
        continue
      }
      generation += 1
      shared.opened(generation: generation, access: access)
      return true
    }
    return false
  }

  private var isWritable: Bool { access(shared.layout.directory.path, W_OK) == 0 }

  private var hasLog: Bool {
    var status = stat()
    return lstat(shared.layout.database.path + "-wal", &status) == 0 && status.st_size > 0
  }
}

// MARK: - Recovery

extension DiskSession {
  /// Replaces a damaged database by an empty one; a database that can be read after all is only
  /// reopened.
  ///
  /// - Returns: A Boolean value that indicates whether there is a sound database now.
  func recover(from error: SQLiteError) -> Bool {
    do throws(FileFailure) {
      let directoryLock = try lockDirectory()
      // If it has moved, another process has found the damage first.
      if opened?.connection.hasMoved == false {
        close()
        if !isReadAgain(after: error) { setAside(because: error) }
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

  /// Returns a Boolean value that indicates whether a database that could not be read several times
  /// is sound after all.
  private func isReadAgain(after error: SQLiteError) -> Bool {
    guard error.isUnreadable else { return false }
    do throws(SQLiteError) {
      try shared.tuning.examine(shared.layout.database.path)
      return true
    } catch {
      return !error.isUnreadable && !error.isCorruption
    }
  }

  /// Sets the database aside; it replaces the one that was set aside before, so that at most one is
  /// kept.
  private func setAside(because error: SQLiteError) {
    opened = nil
    let layout = shared.layout
    let path = layout.database.path
    // The database first: without its log, it would lack the newest changes if the process ended here.
    if error.isDiscarded || rename(path, layout.corruptDatabase.path) != 0 { unlink(path) }
    for file in layout.databaseFiles where file != path { unlink(file) }
    shared.report(.databaseReplaced(reason: error.reason))
  }

  private func close() {
    readers.close()
    opened = nil
  }
}
