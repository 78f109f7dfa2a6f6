package import FreshetEssentials

/// A directory that others may read.
package enum Directory {
  /// Makes the directory, and those above it, unless they exist.
  ///
  /// - Parameters:
  ///   - path: The path of the directory.
  ///   - mode: The permissions of new directories, before the process's mask.
  /// - Throws: The failure of the system.
  package static func make(_ path: String, mode: mode_t = 0o777) throws(FileFailure) {
    if mkdir(path, mode) == 0 { return }
    let code = errno
    if code == EEXIST {
      guard isDirectory(path) else { throw FileFailure("create", ENOTDIR, path) }
      return
    }
    let parent = parent(of: path)
    guard code == ENOENT, !parent.isEmpty, parent != path else {
      throw FileFailure("create", code, path)
    }
    try make(parent, mode: mode)
    if mkdir(path, mode) != 0, errno != EEXIST { throw FileFailure("create", errno, path) }
  }

  /// Synchronizes the names in a directory to the device, if its file system has means to do that.
  static func synchronize(_ path: String) throws(FileFailure) {
    try synchronize(OpenFile(path, O_RDONLY | O_DIRECTORY))
  }

  /// Synchronizes the name of a directory to the device, unless the directory above it may not be opened.
  package static func synchronizeName(of directory: URL) throws(FileFailure) {
    let path = directory.deletingLastPathComponent().path
    guard let parent = try? OpenFile(path, O_RDONLY | O_DIRECTORY) else { return }
    try synchronize(parent)
  }

  private static func synchronize(_ directory: OpenFile) throws(FileFailure) {
    do throws(FileFailure) {
      try directory.synchronize()
    } catch {
      guard [EINVAL, ENOTSUP, ENOTTY].contains(error.code) else { throw error }
    }
  }

  /// Returns whether the path, or what a link there leads to, is a directory.
  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns the path without its last component; empty for a single relative component.
  static func parent(of path: String) -> String {
    let slash = UInt8(ascii: "/")
    let name = path.utf8.reversed().drop { $0 == slash }
    guard let end = name.firstIndex(of: slash) else { return name.isEmpty ? "/" : "" }
    let parent = name[end...].drop { $0 == slash }.reversed()
    return parent.isEmpty ? "/" : String(decoding: parent, as: UTF8.self)
  }
}
