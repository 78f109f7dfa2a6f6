import FreshetEssentials

/// A folder of partial bodies that can be resumed: one for each key, in two files.
///
/// ```
/// ab12….part      the bytes that have arrived
/// ab12….head      the response's head, and checkpoints, see ``PartialRecord``
/// ```
struct PartialFolder: Sendable, Hashable {
  /// The path of the folder.
  let path: String
  /// The largest size of all bodies together, in bytes.
  var byteLimit: Int64
  /// The largest number of bytes between two checkpoints.
  var checkpointInterval: Int64 = 4 << 20
  /// A Boolean value that indicates whether it is beside the file of a download.
  var isArrival = false

  init(directory: URL, byteLimit: Int64) {
    path = directory.path
    self.byteLimit = byteLimit
  }

  /// A Boolean value that indicates whether the folder exists, as it does once a body has begun.
  var exists: Bool { access(path, F_OK) == 0 }

  func body(_ name: String) -> String { "\(path)/\(name).part" }
  func record(_ name: String) -> String { "\(path)/\(name).head" }

  static func name(_ key: CacheKey) -> String {
    SHA256Hasher.digest(of: Data(key.text.utf8)).hex
  }
}

extension PartialFolder {
  /// Begins a body in place of the previous one.
  ///
  /// - Returns: The file; `nil` if the same one is being written elsewhere, or it would be too
  ///   large.
  func begin(_ record: PartialRecord) throws(FileFailure) -> PartialFile? {
    let total = record.total ?? 0
    guard byteLimit > 0, total <= byteLimit else { return nil }
    try PrivateDirectory.make(path, mayBeAsItsParent: isArrival)
    let (name, all) = (Self.name(CacheKey(text: record.key)), evictable())
    let others = all.filter { $0.name != name }
    let excess = others.excess(over: byteLimit - total)
    // Nothing is removed for a body that has no room anyway; this one replaces its former one.
    let freed = all.bytes - others.bytes + excess.bytes
    try FreeSpace.check(OpenFile(path, O_RDONLY | O_DIRECTORY), for: total - freed)
    guard let file = try lock(name, O_RDWR | O_CREAT) else { return nil }
    // Not for a body that does not begin.
    for other in excess { remove(other.name) }
    try file.truncate(to: 0)
    // The record of an earlier body must be replaced before bytes of this one arrive.
    let lines = try ReplacementFile.put(record.line, at: self.record(name))
    return PartialFile(file, lines, name, in: self)
  }

  /// Moves a complete body of a spool here, with a record as if it were partial.
  ///
  /// - Returns: The file; `nil` if the same one is being written elsewhere.
  func take(
    _ body: BodyFile,
    _ record: PartialRecord,
    _ digest: SHA256Checksum
  ) throws(FileFailure) -> PartialFile? {
    let name = Self.name(CacheKey(text: record.key))
    guard let place = try lock(name, O_RDWR | O_CREAT) else { return nil }
    // Until the body is there, nobody else may begin one under its name.
    defer { withExtendedLifetime(place) {} }
    do throws(FileFailure) {
      let end = PartialRecord.Checkpoint(length: body.length, digest: digest)
      let lines = try ReplacementFile.put(record.line + end.line, at: self.record(name))
      let url = URL(fileURLWithPath: self.body(name), isDirectory: false)
      guard try body.adopt(at: url) != nil else { throw FileFailure("move", ENOENT, url.path) }
      return PartialFile(body.file, lines, name, in: self, checked: body.length)
    } catch {
      discard(name)
      throw error
    }
  }

  /// Returns the partial body up to the last checkpoint whose digest it matches.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - headers: The request's header fields, with those that the transport would add.
  /// - Returns: The body and its file; `nil` if there is no usable one, if it is for another request
  ///   of the same key, or if it is being written elsewhere.
  func resume(
    _ key: CacheKey,
    for headers: HTTPHeaders
  ) async -> (body: PartialBody, file: PartialFile)? {
    guard exists else { return nil }
    let name = Self.name(key)
    do throws(FileFailure) {
      guard let file = try lock(name, O_RDWR) else { return nil }
      let (log, lines) = try openRecord(name, O_RDWR)
      guard let body = try await PartialBody.read(file, lines, key, for: headers) else {
        discard(name)
        return nil
      }
      try file.truncate(to: body.length)
      let last = PartialRecord.Checkpoint(length: body.length, digest: body.sha256.snapshot())
      try log.truncate(to: Int64(shorten(log, lines, to: last)))
      return (body, PartialFile(file, log, name, in: self, checked: body.length))
    } catch {
      return nil
    }
  }

  /// Returns what ``resume(_:for:)`` would find, and changes nothing.
  func waiting(_ key: CacheKey, for headers: HTTPHeaders) async -> PartialBody? {
    let name = Self.name(key)
    do throws(FileFailure) {
      guard let file = try lock(name, O_RDONLY) else { return nil }
      let lines = try openRecord(name, O_RDONLY).lines
      // Reading may take long, and what a writer changes meanwhile does not match its digest.
      file.unlock()
      return try await PartialBody.read(file, lines, key, for: headers)
    } catch {
      return nil
    }
  }

  /// The size of a record above which it is worth to drop the checkpoints before the last one.
  private static let longRecord = 1 << 20

  /// Replaces the checkpoints of a record by one if it is long, and returns its new length.
  ///
  /// It is written in place, because a record that is removed meanwhile must not come back.
  private func shorten(
    _ log: OpenFile,
    _ lines: Data,
    to last: PartialRecord.Checkpoint
  ) -> Int {
    guard lines.count > Self.longRecord, let end = lines.firstIndex(of: UInt8(ascii: "\n")),
      // If it cannot be written, the other checkpoints stay.
      (try? log.write(last.line, at: Int64(end + 1))) != nil
    else { return lines.count }
    return end + 1 + last.line.count
  }

  /// Opens the record of a body, and reads up to 64 MiB of it.
  func openRecord(
    _ name: String,
    _ access: Int32
  ) throws(FileFailure) -> (file: OpenFile, lines: Data) {
    let (file, status) = try OpenFile.regular(record(name), access | O_NOFOLLOW)
    return (file, try file.read(at: 0, count: min(Int(status.st_size), 64 << 20)))
  }

  /// Returns the locked file; `nil` if it is in use.
  private func lock(_ name: String, _ flags: Int32) throws(FileFailure) -> OpenFile? {
    while true {
      let (file, status) = try OpenFile.regular(body(name), flags | O_NOFOLLOW)
      do throws(FileFailure) {
        // Who looks for old bodies holds the lock for a moment, and a writer for long.
        try file.lock(within: .milliseconds(50))
      } catch {
        // Without locks, nothing would remove the file that was made just now.
        let isNew = flags & O_CREAT != 0 && status.st_size == 0
        if isNew, !error.isRefusal { unlink(body(name)) }
        return nil
      }
      // It may have been removed, or finished, before it was locked here.
      if file.isStill(at: body(name)) { return file }
    }
  }

  func discard(_ name: String) {
    unlink(record(name))
    unlink(body(name))
  }
}
