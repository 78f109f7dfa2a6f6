import FreshetEssentials

extension PartialFolder {
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
    sweepOrphans(now: now)
  }

  /// Removes bodies without a record, and records without a body, which killed processes have left.
  func sweepOrphans(now: Date) {
    let files = DirectoryEntry.names(in: path)
    let bodies = files.names(before: ".part")
    let records = Set(bodies.map { "\($0).head" })
    DirectoryEntry.removeStrays(files, in: path, now: now) {
      $0.hasSuffix(".head") && !records.contains($0)
    }
    // A body whose record was removed while it was written is of no use.
    for name in bodies where !hasRecord(name) { remove(name) }
  }

  /// Removes all bodies that are not being written.
  func removeWaiting() {
    for name in bodies { remove(name) }
  }

  /// Removes the partial bodies whose records match; all of them without a condition.
  ///
  /// A body that is being written loses its record, so that it cannot be resumed, and is removed by
  /// its writer.
  ///
  /// - Throws: The failure of the system, if they cannot be listed; none is removed then.
  func removeAll(
    where isWanted: ((PartialRecord) -> Bool)? = nil
  ) throws(FileFailure) {
    for name in try DirectoryEntry.list(path).names(before: ".part") {
      if let isWanted, !hasRecord(name, where: isWanted) { continue }
      // The record first: the writer of the body looks for it at the end.
      unlink(record(name))
      remove(name)
    }
  }

  private func hasRecord(_ name: String, where isWanted: (PartialRecord) -> Bool) -> Bool {
    do throws(FileFailure) {
      let lines = try openRecord(name, O_RDONLY).lines
      return PartialRecord.read(lines).map { isWanted($0.0) } ?? false
    } catch {
      // What cannot be opened at the moment may be wanted; a link is never opened.
      return !error.isOfNoFile
    }
  }

  /// Returns a Boolean value that indicates whether a body can still be resumed.
  func hasRecord(_ name: String) -> Bool {
    access(record(name), F_OK) == 0
  }

  private var bodies: [String] { DirectoryEntry.names(in: path).names(before: ".part") }

  /// Removes a body unless it is being written.
  func remove(_ name: String) {
    guard let file = SpoolFile.abandoned(body(name)) else { return }
    withExtendedLifetime(file) { discard(name) }
  }

  /// Returns the bodies that are not being written.
  func evictable() -> [EvictionCandidate] {
    bodies
      .compactMap { name in
        guard let status = try? SpoolFile.abandoned(body(name))?.status() else { return nil }
        return EvictionCandidate(
          name: name,
          bytes: Int64(status.st_size),
          used: DirectoryEntry.orderingTime(status)
        )
      }
  }
}
