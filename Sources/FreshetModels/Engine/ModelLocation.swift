import Freshet
import FreshetEssentials

/// The places of a store's files.
///
/// ```
/// models.sqlite   the models
/// changes         the token of the last writer; watched by the other processes
/// sender          locked by the queue that sends changes
/// owner           locked by the process that has a temporary store
/// ```
enum ModelLocation: Sendable {
  case memory
  case directory(URL)
  /// A directory of its own in a folder with others of its kind, removed when the store is closed.
  case temporary(folder: URL, name: String)

  var directory: URL? {
    switch self {
    case .memory: nil
    case .directory(let url): url
    case .temporary(let folder, let name): folder.appending(path: name)
    }
  }

  /// The path of the database, for SQLite.
  var path: String { directory?.appending(path: "models.sqlite").path ?? ":memory:" }

  var note: String? { directory?.appending(path: "changes").path }
}

// MARK: - Temporary stores

/// The ownership of a temporary store by this process, for the lifetime of this value.
struct TemporaryOwner {
  private let lock: OpenFile
  private let directory: String

  /// Takes the ownership of a new directory.
  init(_ directory: URL) throws(FileFailure) {
    self.directory = directory.path
    lock = try OpenFile(directory.appending(path: "owner").path, O_RDWR | O_CREAT | O_NOFOLLOW)
    _ = lock.tryLock()
  }

  func remove() {
    try? FileManager.default.removeItem(atPath: directory)
    withExtendedLifetime(lock) {}
  }

  /// Removes the stores of processes that have ended without closing them.
  ///
  /// A store that is at least a minute old and not locked has no owner.
  static func sweep(_ folder: URL, now: Date) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where UUID(uuidString: name) != nil {
      let directory = folder.appending(path: name)
      let path = directory.appending(path: "owner").path
      guard let lock = try? OpenFile(path, O_RDWR | O_NOFOLLOW), let status = try? lock.status(),
        now.timeIntervalSince1970 - Double(status.modified) > 60, lock.tryLock()
      else { continue }
      try? FileManager.default.removeItem(at: directory)
    }
  }
}

extension stat {
  fileprivate var modified: Int {
    #if canImport(Darwin)
    st_mtimespec.tv_sec
    #else
    st_mtim.tv_sec
    #endif
  }
}
