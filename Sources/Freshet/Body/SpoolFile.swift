import FreshetEssentials

/// The naming, creation, locking and removal of a spool's files.
///
/// The owner of a file holds its lock, so that a free lock means that the owner has ended.
enum SpoolFile {
  private static let suffix = ".spool"

  static func isName(_ name: String) -> Bool {
    name.hasSuffix(suffix) && Hexadecimal.isUnpredictableName(name.dropLast(suffix.count))
  }

  /// Returns a URL for a new file.
  static func place(in directory: URL) -> URL {
    directory.appendingPathComponent(Hexadecimal.unpredictableName() + suffix)
  }

  /// Removes, once, the files that other processes have left in the default directory, which no
  /// store sweeps.
  private static let sweptDefault: Void = {
    _ = try? Spool(directory: Spool.defaultDirectory).sweep()
  }()

  /// Makes a locked, empty file in the directory, which may be one of arrivals.
  static func make(
    in directory: URL,
    isArrival: Bool = false
  ) throws(FileFailure) -> (file: OpenFile, url: URL) {
    if directory == Spool.defaultDirectory {
      // A user with write access to the folder above could replace this one.
      try PrivateDirectory.make(directory.deletingLastPathComponent().path)
      sweptDefault
    }
    var attempts = 0
    while true {
      let url = place(in: directory)
      do throws(FileFailure) {
        try PrivateDirectory.make(directory.path, mayBeAsItsParent: isArrival)
        return (try make(at: url.path), url)
      } catch {
        // The last one to leave an empty folder of downloads removes it.
        attempts += 1
        let mayRepeat = error.isMissing || error.code == EWOULDBLOCK
        guard mayRepeat, attempts < 16 else { throw error }
      }
    }
  }

  /// Makes a locked, empty file.
  ///
  /// - Throws: The failure of the system; `EWOULDBLOCK` if a sweep took it for an abandoned one
  ///   before it was locked.
  static func make(
    at path: String,
    _ access: Int32 = O_RDWR,
    mode: mode_t = 0o600
  ) throws(FileFailure) -> OpenFile {
    let file = try OpenFile(creating: path, access, mode: mode)
    // A sweep has locked it, and removes it. Some file systems have no locks; nothing is removed there.
    let isFree = file.tryLock() || errno != EWOULDBLOCK
    guard isFree, try file.status().st_nlink > 0 else {
      throw FileFailure("lock", EWOULDBLOCK, path)
    }
    return file
  }

  /// Returns a file whose lock was free, locked; `nil` if it is in use, or there is none.
  static func abandoned(_ path: String) -> OpenFile? {
    let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK
    guard let file = try? OpenFile(path, flags) else { return nil }
    // Another one may have begun under the name before this one was locked.
    return file.tryLock() && file.isStill(at: path) ? file : nil
  }

  /// Removes a file unless its lock is held.
  static func removeIfAbandoned(_ path: String) -> Bool {
    guard let file = abandoned(path) else { return false }
    return withExtendedLifetime(file) { unlink(path) == 0 }
  }
}
