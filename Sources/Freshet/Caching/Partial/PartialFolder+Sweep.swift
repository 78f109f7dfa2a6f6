import FreshetEssentials

extension PartialFolder {
  /// A body that is not being written.
  private struct Waiting {
    let name: String
    let length: Int64
    let changed: Double
  }

  /// The age at which a body is removed, in seconds.
  private static let maximumAge: TimeInterval = 7 * 86_400

  /// Removes bodies that are too old, and files that cannot be resumed.
  ///
  /// The size limit is applied when another body begins, so that inspecting the folder removes no
  /// useful body.
  func sweep(now: Date) {
    // Only old ones are locked: one that is locked meanwhile could not be resumed.
    for name in bodies where DirectoryEntry.age(of: body(name), now) ?? 0 > Self.maximumAge {
      remove(name)
    }
    removeStrays(now: now) { !$0.hasSuffix(".part") && !$0.hasPrefix(ReplacementFile.prefix) }
  }

  /// Removes bodies without a record, and records without a body, which killed processes have left.
  func sweepOrphans(now: Date) {
    removeStrays(now: now) { $0.hasSuffix(".head") }
  }

  /// Removes files that belong to no body, and bodies that cannot be resumed.
  private func removeStrays(now: Date, where isStray: (_ name: String) -> Bool) {
    ReplacementFile.sweep(path)
    let files = DirectoryEntry.names(in: path)
    let bodies = Set(Self.bodies(files))
    for file in files where isStray(file) {
      let path = "\(path)/\(file)"
      let isNeeded = file.hasSuffix(".head") && bodies.contains(String(file.dropLast(5)))
      // A record comes after its body, and is written moments later.
      if !isNeeded, let age = DirectoryEntry.age(of: path, now), abs(age) > 60 { unlink(path) }
    }
    // A body whose record was removed while it was written is of no use.
    for name in bodies where !hasRecord(name) { remove(name) }
  }

  /// The size of the bodies that are not being written, in bytes.
  var waitingBytes: Int64 { waiting().reduce(0) { $0 + $1.length } }

  /// Removes all bodies that are not being written.
  func removeWaiting() {
    for name in bodies { remove(name) }
  }

  /// Removes the oldest bodies until there is room for this many more bytes.
  func prune(leaving room: Int64) {
    var waiting = waiting().sorted { $0.changed > $1.changed }
    var size = waiting.reduce(Int64(0)) { $0 + $1.length }
    while size > byteLimit - room, let oldest = waiting.popLast() {
      remove(oldest.name)
      size -= oldest.length
    }
  }

  /// Removes the partial bodies whose records match.
  ///
  /// A body that is being written loses its record, so that it cannot be resumed, and is removed by
  /// its writer.
  ///
  /// - Throws: The failure of the system, if they cannot be listed; none is removed then.
  func removeAll(where isWanted: (PartialRecord) -> Bool) throws(FileFailure) {
    for name in Self.bodies(try DirectoryEntry.list(path)) {
      do throws(FileFailure) {
        guard let lines = try openRecord(name, O_RDONLY)?.lines,
          let (record, _) = PartialRecord.read(lines), isWanted(record)
        else { continue }
      } catch {
        // What cannot be opened at the moment may be wanted; a link is never opened.
        if error.isMissing || error.code == ELOOP { continue }
      }
      withdraw(name)
    }
  }

  /// Removes all partial bodies; those that are being written as ``removeAll(where:)`` does.
  func removeAll() throws(FileFailure) {
    for name in Self.bodies(try DirectoryEntry.list(path)) { withdraw(name) }
  }

  private func withdraw(_ name: String) {
    // The record first: the writer of the body looks for it at the end.
    unlink(record(name))
    remove(name)
  }

  /// Returns a Boolean value that indicates whether a body can still be resumed.
  func hasRecord(_ name: String) -> Bool {
    access(record(name), F_OK) == 0
  }

  private var bodies: [String] { Self.bodies(DirectoryEntry.names(in: path)) }

  /// Returns the names of the bodies among these files.
  private static func bodies(_ files: [String]) -> [String] {
    files.compactMap { $0.hasSuffix(".part") ? String($0.dropLast(5)) : nil }
  }

  /// Removes a body unless it is being written.
  private func remove(_ name: String) {
    guard let file = SpoolFile.abandoned(body(name)) else { return }
    discard(name)
    withExtendedLifetime(file) {}
  }

  private func waiting() -> [Waiting] {
    bodies
      .compactMap { name in
        guard let status = try? SpoolFile.abandoned(body(name))?.status() else { return nil }
        return Waiting(
          name: name,
          length: Int64(status.st_size),
          changed: DirectoryEntry.orderingTime(status)
        )
      }
  }
}

extension DirectoryEntry {
  /// Returns the time since a file was modified, in seconds; `nil` if there is none.
  static func age(of path: String, _ now: Date) -> Double? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    return now.timeIntervalSince1970 - modified(status)
  }
}
