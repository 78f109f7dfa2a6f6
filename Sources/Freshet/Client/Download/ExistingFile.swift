import FreshetEssentials

/// The item that already has the name of a file that will be written.
enum ExistingFile {
  /// Nothing; the link's target is not there either.
  case none(URL)
  /// A file, behind links, in whose place another can be put.
  case replaceable(URL, stat)
  /// A file with several names, beside which the body can arrive.
  case linked(URL)
  /// A pipe, a device, an open file, a file in a directory that cannot be written, or one whose name
  /// is not UTF-8.
  case open
}

extension ExistingFile {
  /// Examines a name.
  ///
  /// - Throws: Why nothing can be written there.
  static func at(_ name: String) throws(FileFailure) -> ExistingFile {
    guard let file = try behindLinks(name) else {
      _ = try FileFailure.check("write", name) { access(name, W_OK) }
      return .open
    }
    let (path, parent) = (file.path, file.deletingLastPathComponent().path)
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT else { throw FileFailure("write", errno, name) }
      _ = try FileFailure.check("write", name) { access(parent, W_OK | X_OK) }
      return .none(file)
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw FileFailure("write", EISDIR, name)
    default: return .open
    }
    _ = try FileFailure.check("write", name) { access(path, W_OK) }
    guard access(parent, W_OK | X_OK) == 0 else { return .open }
    return status.st_nlink > 1 ? .linked(file) : .replaceable(file, status)
  }

  /// The file that a chain of links ends at, whether there is one or not.
  ///
  /// - Returns: `nil` for a name of a file that is open already, and for a link to a name that is not
  ///   UTF-8, which only the system can follow.
  /// - Throws: The refusal of what another user has put into a shared directory.
  private static func behindLinks(_ name: String) throws(FileFailure) -> URL? {
    var url = URL(filePath: name, directoryHint: .notDirectory).absoluteURL
    // As many as a system follows.
    for _ in 0..<40 {
      if url.path.hasPrefix("/proc/") || url.path.hasPrefix("/dev/fd/") { return nil }
      if isPlanted(url) {
        throw FileFailure(
          refusing: name,
          because: "another user has put it into a shared directory"
        )
      }
      guard let link = Self.target(ofLink: url.path) else { break }
      guard let target = String(validating: link, as: UTF8.self) else { return nil }
      // `..` of a target counts from the directory that the link is in, not from its name.
      let parent = url.deletingLastPathComponent()
      let directory = realpath(parent.path, nil)
      defer { free(directory) }
      var base = parent
      if let directory {
        guard let path = String(validatingCString: directory) else { return nil }
        base = URL(filePath: path, directoryHint: .isDirectory)
      }
      url = URL(filePath: target, directoryHint: .notDirectory, relativeTo: base).absoluteURL
    }
    return url
  }

  /// Returns whether a link, a file or a pipe in a directory like `/tmp` belongs to another user than the directory.
  ///
  /// Systems do not follow such a link nor open such a file for a new one, because it may be a trap for whoever
  /// uses the name next (`fs.protected_symlinks`, `fs.protected_fifos` and `fs.protected_regular` of Linux). They
  /// cannot tell here, where links are followed by their names, and what is there is opened as such.
  private static func isPlanted(_ url: URL) -> Bool {
    var (entry, parent) = (stat(), stat())
    guard lstat(url.path, &entry) == 0, stat(url.deletingLastPathComponent().path, &parent) == 0
    else { return false }
    let isShared = parent.st_mode & S_ISVTX != 0 && parent.st_mode & S_IWOTH != 0
    return isShared && ![geteuid(), parent.st_uid].contains(entry.st_uid)
  }

  /// The bytes that a link consists of; `nil` if the name is not that of a link.
  private static func target(ofLink path: String) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
      count = buffer.withMemoryRebound(to: CChar.self) { buffer in
        buffer.baseAddress.map { max(0, readlink(path, $0, buffer.count)) } ?? 0
      }
    }
    return bytes.isEmpty ? nil : bytes
  }
}
