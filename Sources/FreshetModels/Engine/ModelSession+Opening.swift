import Freshet
import FreshetEssentials
import Synchronization

extension ModelSession {
  func open() throws(FreshetError) {
    if isOpen {
      let hasMoved = core.main.withLock { $0?.sqlite.hasMoved ?? true }
      if !hasMoved { return }
      close()
    }
    do throws(OpeningFailure) {
      try openDatabase()
    } catch {
      close()
      core.failed()
      throw .store(error.reason)
    }
  }

  /// The reason why opening failed, as the end of a sentence.
  private struct OpeningFailure: Error {
    let reason: String
    let isDamage: Bool

    init(_ reason: String, isDamage: Bool = false) {
      self.reason = reason
      self.isDamage = isDamage
    }

    init(_ error: SQLiteError) {
      let reason = error.isCorruption ? "the database is damaged: \(error.message)" : error.reason
      self.init(reason, isDamage: error.isCorruption)
    }
  }

  /// Opens the database under the directory's lock, so that one process at a time makes or replaces it.
  private func openDatabase() throws(OpeningFailure) {
    let lock = try makeDirectory()
    defer { withExtendedLifetime(lock) {} }
    do throws(OpeningFailure) {
      try connectTwice()
    } catch {
      guard error.isDamage, core.configuration.damage == .setAside else { throw error }
      setAside()
      try connect()
    }
    generation += 1
    isOpen = true
    core.opened(generation: generation)
    if generation > 1 {
      // It is another database, in which everything may be different.
      core.watchAgain(wake)
      note?.write()
      core.observers.notify(ModelChanges(isUnknown: true))
    }
  }

  private func makeDirectory() throws(OpeningFailure) -> OpenFile? {
    guard let directory = core.place.directory else { return nil }
    do throws(FileFailure) {
      if case .temporary(let folder, _) = core.place {
        try PrivateDirectory.make(folder.path)
        TemporaryOwner.sweep(folder, now: core.now())
      }
      try PrivateDirectory.make(directory.path)
      let lock = try OpenFile(directory.path, O_RDONLY | O_DIRECTORY)
      try lock.lock(within: .seconds(5))
      if core.configuration.durability == .power {
        // SQLite synchronizes the names in it.
        try Directory.synchronizeName(of: directory)
      }
      if case .temporary = core.place {
        owner = nil
        owner = try TemporaryOwner(directory)
      }
      return lock
    } catch {
      throw OpeningFailure("\(directory.path): \(error.reason)")
    }
  }

  /// Connects, and tries again if the database seems to be damaged: only damage that is met twice counts.
  private func connectTwice() throws(OpeningFailure) {
    do throws(OpeningFailure) {
      try connect()
    } catch {
      guard error.isDamage else { throw error }
      try connect()
    }
  }

  private func connect() throws(OpeningFailure) {
    do throws(SQLiteError) {
      let (core, generation) = (core, generation + 1)
      dataVersion = try core.main.withLock { slot throws(SQLiteError) in
        let connection = ModelConnection(
          try Self.database(core),
          generation: generation,
          changeTypes: core.changeTypes
        )
        slot = connection
        return try connection.integer("PRAGMA data_version")
      }
    } catch {
      throw OpeningFailure(error)
    }
    do throws(FileFailure) {
      if let path = core.place.note { note = try ChangeNote(path, token: core.token) }
    } catch {
      throw OpeningFailure(error.reason)
    }
  }

  private static func database(_ core: ModelDatabase) throws(SQLiteError) -> SQLiteConnection {
    let path = core.place.path
    let connection =
      core.place.directory == nil
      ? try SQLiteConnection(path, isCreating: true, patience: 5_000)
      : try SQLiteConnection(writing: path)
    let state = try ModelSchema.identity.state(of: connection)
    try connection.useWriteAheadLog(survives: core.configuration.durability == .power)
    // Otherwise the bytes of deleted models stay in free pages.
    try connection.run("PRAGMA secure_delete = ON")
    if case .empty = state {
      try ModelSchema.create(connection)
    } else {
      try ModelSchema.complete(connection)
    }
    return connection
  }
}

// MARK: - Damage

extension ModelSession {
  /// Sets a damaged database aside and creates another one.
  ///
  /// - Returns: A Boolean value that indicates whether there is a sound database now.
  func recover() -> Bool {
    guard let directory = core.place.directory else { return false }
    do {
      let lock = try OpenFile(directory.path, O_RDONLY | O_DIRECTORY)
      try lock.lock(within: .seconds(5))
      // If it has moved, another process has found the damage first.
      let hasMoved = core.main.withLock { $0?.sqlite.hasMoved ?? true }
      close()
      if !hasMoved { setAside() }
      withExtendedLifetime(lock) {}
    } catch {
      return false
    }
    return (try? open()) != nil
  }

  /// Renames the files; nothing is deleted.
  private func setAside() {
    core.main.withLock { $0 = nil }
    let path = core.place.path
    let number = (1...).first { access("\(path).damaged-\($0)", F_OK) != 0 } ?? 1
    for suffix in ["-wal", "-shm", ""] {
      rename(path + suffix, "\(path).damaged-\(number)\(suffix)")
    }
  }
}
