import Foundation

extension PartialFolder {
  /// A body that nobody is writing.
  private struct Waiting {
    let name: String
    let length: Int64
    let changed: Double
  }

  /// Removes what has waited too long, and what cannot be resumed.
  ///
  /// The limit is that of whoever begins another one: looking removes nothing that is of use.
  func sweep(now: Date = Date()) {
    let files = DirectoryEntry.names(in: directory.path)
    let bodies = Set(files.filter { $0.hasSuffix(".part") }.map { String($0.dropLast(5)) })
    for file in files where !file.hasSuffix(".part") {
      let isNeeded = file.hasSuffix(".head") && bodies.contains(String(file.dropLast(5)))
      // A record comes after its body; a temporary name lasts for moments.
      if !isNeeded, age(of: file, now) > 60 {
        unlink(directory.appendingPathComponent(file).path)
      }
    }
    for body in waiting() where now.timeIntervalSince1970 - body.changed > maximumAge {
      remove(body.name)
    }
    // One whose record was removed while it was written is of use to nobody.
    for name in bodies where !hasRecord(name) { remove(name) }
  }

  /// How much nobody is writing, in bytes.
  var waitingBytes: Int64 {
    waiting().reduce(0) { $0 + $1.length }
  }

  /// Removes the oldest until there is room for so many bytes more.
  func prune(leaving room: Int64) {
    var waiting = waiting().sorted { $0.changed > $1.changed }
    var size = waiting.reduce(Int64(0)) { $0 + $1.length }
    while size > byteLimit - room, let oldest = waiting.popLast() {
      remove(oldest.name)
      size -= oldest.length
    }
  }

  /// Removes what has arrived for a key.
  func remove(_ key: CacheKey) {
    remove(Self.name(key))
  }

  /// Removes what has arrived for the records that are wanted.
  ///
  /// A body that somebody is writing loses its record, so that nobody goes on with it, and is removed by
  /// its writer.
  func removeAll(where isWanted: (PartialRecord) -> Bool) {
    for name in bodies() {
      guard let (record, _) = lines(name).flatMap({ PartialRecord.read($0) }) else {
        continue
      }
      if isWanted(record) { withdraw(name) }
    }
  }

  /// Removes everything, what is being written as ``removeAll(where:)`` does.
  func removeAll() {
    for name in bodies() { withdraw(name) }
  }

  private func withdraw(_ name: String) {
    // The record first: who holds the body looks for it when no more of the body comes.
    unlink(record(name).path)
    remove(name)
  }

  /// Whether a body can still be resumed by somebody.
  func hasRecord(_ name: String) -> Bool {
    access(record(name).path, F_OK) == 0
  }

  private func bodies() -> [String] {
    DirectoryEntry.names(in: directory.path)
      .compactMap { $0.hasSuffix(".part") ? String($0.dropLast(5)) : nil }
  }

  /// What a body's record says; `nil` if it is no file, or larger than one ever is.
  private func lines(_ name: String) -> Data? {
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
    guard let file = try? OpenFile(record(name).path, flags), let status = try? file.status(),
      status.st_mode & S_IFMT == S_IFREG, status.st_size <= 4 << 20
    else { return nil }
    return try? file.read(at: 0, count: Int(status.st_size))
  }

  /// Removes a body unless somebody is writing it.
  private func remove(_ name: String) {
    guard let file = free(name) else { return }
    discard(name)
    withExtendedLifetime(file) {}
  }

  private func waiting() -> [Waiting] {
    DirectoryEntry.names(in: directory.path)
      .compactMap { file in
        guard file.hasSuffix(".part") else { return nil }
        let name = String(file.dropLast(5))
        guard let status = try? free(name)?.status() else { return nil }
        return Waiting(
          name: name,
          length: Int64(status.st_size),
          changed: DirectoryEntry.modified(status)
        )
      }
  }

  /// The body's file, locked; `nil` if somebody else has it.
  private func free(_ name: String) -> OpenFile? {
    guard let file = try? OpenFile(body(name).path, O_RDWR | O_NOFOLLOW) else { return nil }
    return file.tryLock() ? file : nil
  }

  private func age(of file: String, _ now: Date) -> Double {
    var status = stat()
    guard lstat(directory.appendingPathComponent(file).path, &status) == 0 else { return 0 }
    return now.timeIntervalSince1970 - DirectoryEntry.modified(status)
  }
}
