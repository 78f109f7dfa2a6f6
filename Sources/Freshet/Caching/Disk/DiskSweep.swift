import FreshetEssentials

/// The search for files that ended processes left, a bounded step at a time.
struct DiskSweep {
  /// The next of the 256 folders of bodies.
  var shard = 0
  var removed = 0
  var audit: DiskAudit?
  var part = Part.spool

  /// The steps, in order.
  enum Part {
    /// Bodies that were arriving, at each opening.
    case spool
    /// Bodies that can be resumed, at each opening.
    case partials
    /// Bodies without a record, once a day.
    case bodies
    /// The totals, after the bodies.
    case totals
  }
}

extension DiskSession {
  /// Does one step.
  func continueSweep() {
    guard var sweep else { return }
    let isOver = step(&sweep)
    self.sweep = isOver ? nil : sweep
  }

  /// - Returns: A Boolean value that indicates whether it was the last step.
  private func step(_ sweep: inout DiskSweep) -> Bool {
    switch sweep.part {
    case .spool:
      _ = try? Spool(directory: shared.layout.spool).sweep()
      sweep.part = .partials
    case .partials:
      PartialFolder(directory: shared.layout.partials, byteLimit: shared.limits.partialBytes)
        .sweep(now: shared.tuning.now())
      PartShelf(directory: shared.layout.parts, survivesPower: false, limit: { 0 })
        .sweep(now: shared.tuning.now())
      sweep.part = .bodies
      return !isDue
    case .bodies where sweep.shard < 256:
      sweep.removed += removeOrphans(in: shared.layout.shard(sweep.shard))
      sweep.shard += 1
    case .bodies:
      sweep.part = .totals
    case .totals:
      guard isCounted(&sweep) else { return false }
      finish(sweep)
      return true
    }
    return false
  }

  private var isDue: Bool {
    guard let connection = opened?.connection else { return false }
    let now = shared.tuning.now().timeIntervalSince1970
    let last = (try? connection.integer("SELECT swept FROM total")) ?? 0
    // A clock that was ahead once must not end the search.
    return abs(now - Double(last)) >= shared.tuning.sweepInterval
  }

  private func finish(_ sweep: DiskSweep) {
    let now = shared.tuning.now().timeIntervalSince1970
    attempt { transaction throws(SQLiteError) in
      try transaction.run("UPDATE total SET swept = ?", .real(now))
    }
    // A database that was set aside helps to find the cause of the damage; it is not kept for ever.
    let corrupt = shared.layout.corruptDatabase.path
    if let age = age(of: corrupt), age >= shared.tuning.sweepInterval { unlink(corrupt) }
    if sweep.removed > 0 { shared.report(.orphansRemoved(count: sweep.removed)) }
  }

  /// Continues the count, and corrects the totals if they are wrong.
  ///
  /// - Returns: A Boolean value that indicates whether the count is complete.
  private func isCounted(_ sweep: inout DiskSweep) -> Bool {
    do throws(SQLiteError) {
      let audit: DiskAudit
      if let begun = sweep.audit {
        audit = begun
      } else {
        audit = try DiskAudit(shared.layout.database.path)
      }
      sweep.audit = audit
      guard let isInOrder = try audit.goOn() else { return false }
      sweep.audit = nil
      if !isInOrder {
        attempt { transaction throws(SQLiteError) in try transaction.recount() }
      } else if !audit.unused.isEmpty {
        attempt { transaction throws(SQLiteError) in try transaction.addUses(of: audit.unused) }
      }
      return true
    } catch {
      sweep.audit = nil
      return true
    }
  }
}

// MARK: - Orphans

extension DiskSession {
  private func removeOrphans(in folder: String) -> Int {
    guard let opened else { return 0 }
    // In doubt, a record refers to the file.
    let names = DirectoryEntry.names(in: folder)
      .filter { isOld("\(folder)/\($0)") && (try? opened.transaction.needs($0)) == false }
    guard !names.isEmpty, !opened.connection.hasMoved else { return 0 }
    var removed = 0
    // A commit of a record checks that its body exists in the same transaction, so none can
    // intervene.
    attempt { transaction throws(SQLiteError) in
      removed = 0
      for name in names where try !transaction.needs(name) {
        if SpoolFile.removeIfAbandoned("\(folder)/\(name)") { removed += 1 }
      }
    }
    return removed
  }

  /// Returns a Boolean value that indicates whether the file is too old to belong to a record that
  /// is about to be committed; renaming a file makes it young.
  ///
  /// A time that is as far ahead is that of a clock that was wrong.
  private func isOld(_ path: String) -> Bool {
    age(of: path).map { abs($0) >= shared.tuning.orphanGrace } ?? false
  }

  private func age(of path: String) -> TimeInterval? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
    let changed = max(status.st_mtimespec.tv_sec, status.st_ctimespec.tv_sec)
    #else
    let changed = max(status.st_mtim.tv_sec, status.st_ctim.tv_sec)
    #endif
    return shared.tuning.now().timeIntervalSince1970 - Double(changed)
  }
}
