import Foundation

/// The search for bodies without a record: what a process left that ended between two steps.
struct DiskSweep {
  /// The next of the 256 folders of bodies.
  var shard = 0
  var removed = 0
}

extension DiskSession {
  /// Begins a search if the last one is long ago; it goes on while nobody waits.
  func beginSweep() {
    _ = try? Spool(directory: shared.layout.spool).sweep()
    PartialFolder(
      directory: shared.layout.partials,
      byteLimit: shared.configuration.partialByteLimit
    )
    .sweep(now: shared.tuning.now())
    guard let connection = opened?.connection else { return }
    let now = shared.tuning.now().timeIntervalSince1970
    let last = (try? connection.integer("SELECT swept FROM total")) ?? 0
    sweep = now - Double(last) >= shared.tuning.sweepInterval ? DiskSweep() : nil
  }

  /// Looks through one folder.
  func continueSweep() {
    guard var sweep else { return }
    if sweep.shard < 256 {
      sweep.removed += removeOrphans(in: shared.layout.shard(sweep.shard))
      sweep.shard += 1
      self.sweep = sweep
      return
    }
    self.sweep = nil
    let now = shared.tuning.now().timeIntervalSince1970
    attempt { transaction throws(SQLiteError) in
      try transaction.run("UPDATE total SET swept = ?", .real(now))
    }
    if sweep.removed > 0 { shared.report(.orphansRemoved(count: sweep.removed)) }
  }

  private func removeOrphans(in folder: String) -> Int {
    DirectoryEntry.names(in: folder)
      .count { name in
        let path = "\(folder)/\(name)"
        return isOld(path) && isOrphan(name) && unlink(path) == 0
      }
  }

  /// Whether no record that is about to be committed can belong to it; renaming makes it young.
  private func isOld(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return false }
    #if canImport(Darwin)
    let changed = max(status.st_mtimespec.tv_sec, status.st_ctimespec.tv_sec)
    #else
    let changed = max(status.st_mtim.tv_sec, status.st_ctim.tv_sec)
    #endif
    let age = shared.tuning.now().timeIntervalSince1970 - Double(changed)
    return age >= shared.tuning.orphanGrace
  }

  /// `false` when in doubt.
  private func isOrphan(_ name: String) -> Bool {
    guard let connection = opened?.connection else { return false }
    do throws(SQLiteError) {
      let statement = try connection.prepare("SELECT 1 FROM response WHERE file = ?")
      try statement.bind([.text(name)])
      return try !statement.step()
    } catch {
      return false
    }
  }
}
