import Foundation

/// A body on its way into a file that outlives its process.
///
/// Whoever writes it holds the file's lock. It is used by one task at a time.
final class PartialFile {
  let file: OpenFile
  let url: URL
  private let folder: PartialFolder
  private let name: String
  private let record: OpenFile
  private var checked: Int64

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
    url = folder.body(name)
  }

  /// Notes now and then what has arrived.
  func note(_ length: Int64, _ hasher: SHA256Hasher) {
    if length - checked >= folder.checkpointInterval { checkpoint(length, hasher) }
  }

  /// Ends a body that has not arrived whole: notes what has, unless its record has been removed.
  func rest(_ length: Int64, _ hasher: SHA256Hasher) {
    checkpoint(length, hasher)
    if !folder.hasRecord(name), folder.isStillThere(file, name) { discard() }
  }

  /// Notes what has arrived.
  func checkpoint(_ length: Int64, _ hasher: SHA256Hasher) {
    guard length > checked else { return }
    checked = length
    let line = PartialRecord.Checkpoint(length: length, digest: hasher.snapshot()).line
    // Without it, the transfer begins again from an earlier checkpoint.
    try? record.write(line)
  }

  /// Whether so much is more than may wait to be resumed.
  func isTooLong(_ length: Int64) -> Bool { length > folder.byteLimit }

  /// Moves the whole body to where finished ones are.
  func release(to url: URL) throws(FileFailure) {
    _ = try FileFailure.check("move", self.url.path) { rename(self.url.path, url.path) }
    unlink(folder.record(name).path)
  }

  /// Removes it.
  func discard() {
    unlink(folder.record(name).path)
    unlink(url.path)
  }
}
