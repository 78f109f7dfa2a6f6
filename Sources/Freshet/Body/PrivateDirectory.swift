import Foundation

/// A directory that only this user may enter.
enum PrivateDirectory {
  /// Makes the directory with mode 0700, and those above it, unless they are there.
  ///
  /// A directory that was there stays as it is. It is refused if it is a link, belongs to somebody
  /// else, or if others may write to it, because they could put files in it.
  static func make(_ path: String) throws(FileFailure) {
    if mkdir(path, 0o700) == 0 { return }
    switch errno {
    case EEXIST:
      break
    case ENOENT:
      let parent = (path as NSString).deletingLastPathComponent
      guard !parent.isEmpty, parent != path else { throw FileFailure("create", ENOENT, path) }
      try makeParents(parent)
      if mkdir(path, 0o700) != 0, errno != EEXIST { throw FileFailure("create", errno, path) }
    case let code:
      throw FileFailure("create", code, path)
    }
    try check(path)
  }

  private static func makeParents(_ path: String) throws(FileFailure) {
    if mkdir(path, 0o755) == 0 || errno == EEXIST { return }
    guard errno == ENOENT else { throw FileFailure("create", errno, path) }
    let parent = (path as NSString).deletingLastPathComponent
    guard !parent.isEmpty, parent != path else { throw FileFailure("create", ENOENT, path) }
    try makeParents(parent)
    if mkdir(path, 0o755) != 0, errno != EEXIST { throw FileFailure("create", errno, path) }
  }

  private static func check(_ path: String) throws(FileFailure) {
    var status = stat()
    _ = try FileFailure.check("examine", path) { lstat(path, &status) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw FileFailure("use", ENOTDIR, path) }
    guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
      throw FileFailure("use", EACCES, path)
    }
  }
}
