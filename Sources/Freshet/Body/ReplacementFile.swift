import FreshetEssentials

/// A new file that takes the place of another one when it is complete: a reader sees the old file or the whole
/// new one.
///
/// It is written under a temporary name in the same directory, and removed unless it has been put in place.
/// The name is fixed, so that the next replacement removes what a killed process has left; the writer holds
/// the lock of the file. A second writer at the same time uses a random name.
final class ReplacementFile {
  /// The new file, which is empty at first.
  let file: OpenFile
  /// The beginning of the temporary names.
  static let prefix = ".freshet-"

  private let path: String
  private let temporary: String
  private var isInPlace = false

  /// Creates the new file.
  ///
  /// - Parameters:
  ///   - path: The path of the file to replace; nothing may be there yet. A link is replaced, not followed.
  ///   - access: The mode of access of ``file``.
  ///   - mode: The permissions, which the process's mask reduces.
  /// - Throws: The failure of the system call, with `path` as its path; also if `path` is a device, a pipe or a socket.
  init(
    for path: String,
    _ access: Int32 = O_WRONLY,
    mode: mode_t = 0o600
  ) throws(FileFailure) {
    var status = stat()
    if lstat(path, &status) == 0, ![S_IFREG, S_IFLNK, S_IFDIR].contains(status.st_mode & S_IFMT) {
      throw FileFailure(refusing: path, because: "it is not a regular file")
    }
    self.path = path
    do throws(FileFailure) {
      (file, temporary) = try Self.make(beside: URL(fileURLWithPath: path), access, mode)
    } catch {
      // The caller does not know the temporary name.
      throw FileFailure(error.operation, error.code, path)
    }
  }

  deinit {
    if !isInPlace { unlink(temporary) }
  }

  /// Puts the new file in place.
  ///
  /// - Parameter survivesPower: `true` if the content and the name are synchronized to the device, so that a loss
  ///   of power leaves one of the two files, too; `false` by default.
  /// - Throws: The failure of a system call.
  func commit(survivesPower: Bool = false) throws(FileFailure) {
    if survivesPower { try file.synchronize() } else { try file.settle() }
    _ = try FileFailure.check("move", path) { rename(temporary, path) }
    isInPlace = true
    // The name that others may remove is gone.
    file.unlock()
    if survivesPower {
      try Directory.synchronize(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }
  }

  /// Replaces a file by these bytes, and returns the new one, which can be written on.
  static func put(
    _ data: Data,
    at path: String,
    _ access: Int32 = O_WRONLY,
    survivesPower: Bool = false
  ) throws(FileFailure) -> OpenFile {
    let replacement = try ReplacementFile(for: path, access)
    try replacement.file.write(data)
    try replacement.commit(survivesPower: survivesPower)
    return replacement.file
  }

  /// Makes the temporary file, locked.
  private static func make(
    beside url: URL,
    _ access: Int32,
    _ mode: mode_t
  ) throws(FileFailure) -> (file: OpenFile, path: String) {
    let folder = url.deletingLastPathComponent()
    // A name has 255 bytes at most.
    let name = String(decoding: url.lastPathComponent.utf8.prefix(200), as: UTF8.self)
    // The suffix keeps it apart from the kinds of files that a folder has.
    var path = folder.appendingPathComponent("\(prefix)\(name).new").path
    _ = SpoolFile.removeIfAbandoned(path)
    var attempts = 0
    while true {
      do throws(FileFailure) {
        return (try SpoolFile.make(at: path, access, mode: mode), path)
      } catch {
        attempts += 1
        // A random name is short: some file systems have no room for the suffix behind a long one.
        let mayRepeat = [EEXIST, EWOULDBLOCK, ENAMETOOLONG].contains(error.code)
        guard mayRepeat, attempts < 16 else { throw error }
      }
      path = folder.appendingPathComponent(prefix + Hexadecimal.unpredictableName()).path
    }
  }

  /// Removes the temporary files in a directory that killed processes have left.
  static func sweep(_ directory: String) {
    for name in DirectoryEntry.names(in: directory) where name.hasPrefix(prefix) {
      _ = SpoolFile.removeIfAbandoned("\(directory)/\(name)")
    }
  }
}
