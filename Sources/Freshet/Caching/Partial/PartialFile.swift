import FreshetEssentials

/// A body that is written to a file that outlives the process.
///
/// The writer holds the file's lock. A partial file is used by one task at a time.
final class PartialFile {
  /// The longest time between two checkpoints while bytes arrive, in seconds.
  private static let checkpointPeriod: TimeInterval = 5

  let file: OpenFile
  let url: URL
  private let folder: PartialFolder
  private let name: String
  private let record: OpenFile
  private var checked: Int64
  /// The time of the last checkpoint, or of the first bytes.
  private var checkedAt: Date?

  init(
    _ file: OpenFile,
    _ record: OpenFile,
    _ name: String,
    in folder: PartialFolder,
    checked: Int64 = 0
  ) {
    self.file = file
    self.record = record
    self.name = name
    self.folder = folder
    self.checked = checked
    url = URL(fileURLWithPath: folder.body(name), isDirectory: false)
  }

  /// Writes a checkpoint when enough bytes have arrived, or enough time has passed, since the last one.
  func note(_ length: Int64, _ hasher: SHA256Hasher, at now: Date?) {
    guard length - checked >= folder.checkpointInterval || isDue(at: now) else { return }
    checkpoint(length, hasher)
    checkedAt = now
  }

  private func isDue(at now: Date?) -> Bool {
    guard let now else { return false }
    guard let checkedAt else {
      checkedAt = now
      return false
    }
    // A negative time comes from a clock that was set back.
    return !(0..<Self.checkpointPeriod).contains(now.timeIntervalSince(checkedAt))
  }

  /// Ends an incomplete body: writes a checkpoint, unless its record has been removed or nothing has arrived.
  func rest(_ length: Int64, _ hasher: SHA256Hasher) {
    checkpoint(length, hasher)
    if checked == 0 || !folder.hasRecord(name), file.isStill(at: folder.body(name)) { discard() }
  }

  /// Writes a checkpoint.
  func checkpoint(_ length: Int64, _ hasher: SHA256Hasher) {
    guard length > checked else { return }
    checked = length
    let line = PartialRecord.Checkpoint(length: length, digest: hasher.snapshot()).line
    // Without it, the transfer resumes from an earlier checkpoint.
    try? record.write(line)
  }

  /// Returns a Boolean value that indicates whether a body of this length exceeds the limit of
  /// partial bodies.
  func isTooLong(_ length: Int64) -> Bool { length > folder.byteLimit }

  /// Moves the complete body to the folder of finished ones.
  func release(to url: URL) throws(FileFailure) {
    // Another body may begin under the name as soon as this one is moved.
    unlink(folder.record(name))
    _ = try FileFailure.check("move", self.url.path) { rename(self.url.path, url.path) }
  }

  /// Removes the body and its record.
  func discard() { folder.discard(name) }
}
