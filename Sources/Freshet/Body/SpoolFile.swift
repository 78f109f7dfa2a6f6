import Foundation

/// How a spool's files are named, made, locked and given up.
///
/// Whoever uses a file holds its lock, so that a lock that can be had means an owner that is gone.
enum SpoolFile {
  private static let suffix = ".spool"

  static func isName(_ name: String) -> Bool {
    name.hasSuffix(suffix)
  }

  /// A place for a file that is not there yet.
  static func place(in directory: URL) -> URL {
    directory.appendingPathComponent(Hexadecimal.unpredictableName() + suffix)
  }

  /// Removes, once, what other processes have left in the default directory; no store does it there.
  private static let sweptDefault: Void = {
    _ = try? Spool(directory: Spool.defaultDirectory).sweep()
  }()

  /// Makes a locked, empty file in the directory.
  static func make(in directory: URL) throws(FileFailure) -> (file: OpenFile, url: URL) {
    if directory == Spool.defaultDirectory {
      // Whoever may write to the folder above could put another one in the place of this.
      try PrivateDirectory.make(directory.deletingLastPathComponent().path)
      sweptDefault
    }
    try PrivateDirectory.make(directory.path)
    while true {
      let url = place(in: directory)
      let file = try OpenFile(creating: url.path, O_RDWR)
      // A sweeper may have locked it, or removed it, before it was locked here: then a new one.
      if file.tryLock(), try file.status().st_nlink > 0 {
        return (file, url)
      }
    }
  }

  /// Removes a file unless somebody holds its lock.
  static func removeIfAbandoned(_ path: String) -> Bool {
    guard let file = try? OpenFile(path, O_RDWR | O_NOFOLLOW), file.tryLock() else { return false }
    return unlink(path) == 0
  }
}
