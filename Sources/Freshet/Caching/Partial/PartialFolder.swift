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
    guard byteLimit > 0, record.total ?? 0 <= byteLimit else { return nil }
    try PrivateDirectory.make(path, mayBeAsItsParent: isArrival)
    if let total = record.total {
      // Other bodies are not removed for one that has no room anyway.
      let folder = try OpenFile(path, O_RDONLY | O_DIRECTORY)
      try FreeSpace.check(folder, for: total - waitingBytes)
    }
    let name = Self.name(CacheKey(text: record.key))
    guard let file = try lock(name, O_RDWR | O_CREAT) else { return nil }
    // Not for a body that does not begin, and without the one that this replaces.
    prune(leaving: record.total ?? 0)
    try file.truncate(to: 0)
    // The record of an earlier body must be replaced before bytes of this one arrive.
    let lines = try ReplacementFile(for: self.record(name), O_WRONLY | O_APPEND)
    try lines.file.write(record.line)
    try lines.commit()
    return PartialFile(file, lines.file, name, in: self)
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
      let lines = try ReplacementFile(for: self.record(name))
      let end = PartialRecord.Checkpoint(length: body.length, digest: digest)
      try lines.file.write(record.line + end.line)
      try lines.commit()
      let url = URL(fileURLWithPath: self.body(name), isDirectory: false)
      guard try body.adopt(at: url) != nil else { throw FileFailure("move", ENOENT, url.path) }
      return PartialFile(body.file, lines.file, name, in: self, checked: body.length)
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
      guard let file = try lock(name, O_RDWR),
        let (log, lines) = try openRecord(name, O_RDWR | O_APPEND)
      else { return nil }
      guard let body = try await PartialBody.read(file, lines, key, for: headers) else {
        discard(name)
        return nil
      }
      try file.truncate(to: body.length)
      if lines.count > Self.longRecord {
        shorten(name, lines, to: .init(length: body.length, digest: body.sha256.snapshot()))
      }
      return (body, PartialFile(file, log, name, in: self, checked: body.length))
    } catch {
      return nil
    }
  }

  /// Returns what ``resume(_:for:)`` would find, and changes nothing.
  func waiting(_ key: CacheKey, for headers: HTTPHeaders) async -> PartialBody? {
    let name = Self.name(key)
    do throws(FileFailure) {
      guard let file = try lock(name, O_RDONLY), let (_, lines) = try openRecord(name, O_RDONLY)
      else { return nil }
      // Reading may take long, and what a writer changes meanwhile does not match its digest.
      file.unlock()
      return try await PartialBody.read(file, lines, key, for: headers)
    } catch {
      return nil
    }
  }

  /// The size of a record above which it is worth to drop the checkpoints before the last one.
  private static let longRecord = 1 << 20

  /// Replaces the checkpoints of a record by one.
  ///
  /// It is written in place, because a record that is removed meanwhile must not come back.
  private func shorten(_ name: String, _ lines: Data, to last: PartialRecord.Checkpoint) {
    guard let end = lines.firstIndex(of: UInt8(ascii: "\n")) else { return }
    let (line, start) = (last.line, Int64(end - lines.startIndex + 1))
    // If it cannot be written, the other checkpoints stay.
    guard let log = try? OpenFile(record(name), O_WRONLY | O_NOFOLLOW | O_NONBLOCK),
      (try? log.write(line, at: start)) != nil
    else { return }
    try? log.truncate(to: start + Int64(line.count))
  }

  /// Opens the record of a body, and reads up to 64 MiB of it; `nil` if it is no regular file.
  func openRecord(
    _ name: String,
    _ access: Int32
  ) throws(FileFailure) -> (file: OpenFile, lines: Data)? {
    // Opening a pipe of that name would block for ever.
    let file = try OpenFile(record(name), access | O_NOFOLLOW | O_NONBLOCK)
    let status = try file.status()
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    return (file, try file.read(at: 0, count: min(Int(status.st_size), 64 << 20)))
  }

  /// Returns the locked file; `nil` if it does not exist, is no regular file or is in use.
  private func lock(_ name: String, _ flags: Int32) throws(FileFailure) -> OpenFile? {
    var attempts = 0
    while true {
      let file: OpenFile
      do throws(FileFailure) {
        file = try OpenFile(body(name), flags | O_NOFOLLOW | O_NONBLOCK)
      } catch {
        if error.isMissing, flags & O_CREAT == 0 { return nil }
        throw error
      }
      let status = try file.status()
      guard status.st_mode & S_IFMT == S_IFREG else { return nil }
      guard file.tryLock() else {
        let code = errno
        // Who looks for old bodies holds the lock for a moment, and a writer for long.
        attempts += 1
        if code == EWOULDBLOCK, attempts < 25 {
          usleep(2_000)
          continue
        }
        // Without locks, nothing would remove the file that was made just now.
        let isNew = code != EWOULDBLOCK && flags & O_CREAT != 0 && status.st_size == 0
        if isNew { unlink(body(name)) }
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
