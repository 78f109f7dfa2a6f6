import FreshetEssentials

/// A directory that only its user may enter.
package enum PrivateDirectory {
  /// Makes the directory with mode 0700, and those above it, unless they exist.
  ///
  /// An existing directory is unchanged. It is refused if it is a link, belongs to another user, or
  /// is writable for others, because they could put files in it.
  ///
  /// - Parameters:
  ///   - path: The path of the directory.
  ///   - isTightened: A Boolean value that indicates whether a directory of this user's that is
  ///     writable for the group, as with a `umask` of 002, is made private instead of refused.
  ///   - mayBeAsItsParent: A Boolean value that indicates whether a directory is accepted that is as open as
  ///     the one that it is in, as on a volume without permissions: whoever can write there could replace it anyway.
  /// - Throws: The failure of the system, or the refusal.
  package static func make(
    _ path: String,
    isTightened: Bool = false,
    mayBeAsItsParent: Bool = false
  ) throws(FileFailure) {
    if mkdir(path, 0o700) == 0 { return }
    switch errno {
    case EEXIST:
      break
    case EROFS where isDirectory(path):
      break
    case ENOENT:
      let parent = Directory.parent(of: path)
      guard !parent.isEmpty, parent != path else { throw FileFailure("create", ENOENT, path) }
      try Directory.make(parent, mode: 0o755)
      if mkdir(path, 0o700) != 0, errno != EEXIST { throw FileFailure("create", errno, path) }
    case let code:
      throw FileFailure("create", code, path)
    }
    if isTightened { tighten(path) }
    try check(path, mayBeAsItsParent)
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func tighten(_ path: String) {
    guard let file = try? OpenFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
      let status = try? file.status(), status.st_uid == geteuid(), status.st_mode & 0o022 == 0o020
    else { return }
    fchmod(file.descriptor, status.st_mode & 0o7755)
  }

  private static func check(_ path: String, _ mayBeAsItsParent: Bool) throws(FileFailure) {
    var status = stat()
    _ = try FileFailure.check("examine", path) { lstat(path, &status) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw FileFailure("use", ENOTDIR, path) }
    if mayBeAsItsParent, isAsItsParent(status, at: path) { return }
    guard status.st_uid == geteuid() else {
      throw FileFailure(refusing: path, because: "it belongs to another user")
    }
    guard status.st_mode & 0o022 == 0 else {
      throw FileFailure(
        refusing: path,
        because: "other users can write to it; restrict its permissions"
      )
    }
  }

  /// Returns whether nobody can write into a directory who could not remove it from the one that it is in.
  private static func isAsItsParent(_ status: stat, at path: String) -> Bool {
    var parent = stat()
    return stat(Directory.parent(of: path), &parent) == 0 && parent.st_mode & S_ISVTX == 0
      && [geteuid(), parent.st_uid].contains(status.st_uid)
      && status.st_mode & 0o022 & ~parent.st_mode == 0
      && (status.st_mode & 0o020 == 0 || parent.st_mode & 0o002 != 0
        || status.st_gid == parent.st_gid)
  }
}
