import FreshetEssentials

/// The item that already has the name of a file that will be written.
enum ExistingFile {
  /// Nothing; the link's target is not there either.
  case none(URL)
  /// A file, behind links, in whose place another can be put.
  case replaceable(URL, stat)
  /// A file with several names, beside which the body can arrive.
  case linked(URL)
  /// A pipe, a device, an open file, or a file in a directory that cannot be written.
  case open
}

extension ExistingFile {
  /// Examines a name.
  ///
  /// - Throws: Why nothing can be written there.
  static func at(_ name: String) throws(FileFailure) -> ExistingFile {
    guard let file = behindLinks(name) else { return .open }
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
  /// - Returns: `nil` for a name of a file that is open already.
  private static func behindLinks(_ name: String) -> URL? {
    var url = URL(filePath: name, directoryHint: .notDirectory).absoluteURL
    // As many as a system follows.
    for _ in 0..<40 {
      if url.path.hasPrefix("/proc/") || url.path.hasPrefix("/dev/fd/") { return nil }
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: url.path) else {
        break
      }
      // `..` of a target counts from the directory that the link is in, not from its name.
      let parent = url.deletingLastPathComponent()
      let directory = realpath(parent.path, nil)
      defer { free(directory) }
      url =
        URL(
          filePath: target,
          directoryHint: .notDirectory,
          relativeTo: directory.map {
            URL(filePath: String(cString: $0), directoryHint: .isDirectory)
          }
            ?? parent
        )
        .absoluteURL
    }
    return url
  }
}
