import FreshetEssentials

/// The places of a disk store's files.
///
/// ```
/// index.sqlite        the records, and bodies up to the inline limit
/// bodies/ab/abcd…     larger bodies
/// spool/              bodies that are arriving
/// parts/              ranges of bodies, see ``PartShelf``
/// parts.removals      a byte for each removal
/// partial/            incomplete bodies, which can be resumed
/// ```
struct DiskLayout: Sendable {
  let directory: URL
  private let path: String

  init(directory: URL) {
    self.directory = directory
    path = directory.path
  }

  var database: URL { directory.appendingPathComponent("index.sqlite") }
  var corruptDatabase: URL { directory.appendingPathComponent("index.sqlite.corrupt") }
  var bodies: URL { directory.appendingPathComponent("bodies", isDirectory: true) }
  var spool: URL { directory.appendingPathComponent("spool", isDirectory: true) }

  var partials: URL { directory.appendingPathComponent("partial", isDirectory: true) }

  var parts: URL { directory.appendingPathComponent("parts", isDirectory: true) }

  func body(_ name: String) -> URL {
    URL(fileURLWithPath: bodyPath(name), isDirectory: false)
  }

  /// Returns the path of ``body(_:)``, for system calls.
  func bodyPath(_ name: String) -> String {
    let name = Self.inside(name)
    return "\(path)/bodies/\(name.prefix(2))/\(name)"
  }

  /// Returns the name, or `"none"` if it is not hexadecimal.
  ///
  /// A database that others have written must not lead to files outside the directory, neither to
  /// read nor to remove them.
  private static func inside(_ name: String) -> String {
    name.utf8.allSatisfy(ASCII.isHexDigit) ? name : "none"
  }

  func shard(_ number: Int) -> String {
    "\(path)/bodies/\(Hexadecimal.text([UInt8(truncatingIfNeeded: number)]))"
  }

  /// The files that belong to the database.
  var databaseFiles: [String] { ["", "-wal", "-shm"].map { database.path + $0 } }
}
