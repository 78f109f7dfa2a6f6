public import FreshetEssentials

/// The places for the bodies of responses while they arrive.
///
/// A small body stays in memory; one that exceeds ``threshold`` is continued in a file of its own:
/// with mode 0600 and an unpredictable name, in a directory of mode 0700. The file is removed with
/// the last value that refers to it, unless a store takes it over. Files of a process that was
/// killed are removed by ``sweep()``, which never touches a file in use; in the default directory,
/// the first body of each process calls it.
///
/// The file of a response that may not be stored has no name: it cannot be opened by others, and
/// disappears with its process, even after a crash.
///
/// If no file can be made or written, on a full disk, without a free descriptor, or in a directory
/// that was removed, up to 64 MiB are continued in memory.
///
/// ```swift
/// var spool = Spool()
/// spool.threshold = 256 << 10
/// try spool.sweep()
/// ```
public struct Spool: Sendable, Hashable {
  /// The directory of the files; made when it is needed.
  public var directory: URL
  /// The largest body that stays in memory, in bytes; 1 MiB by default.
  public var threshold: Int
  /// The directory to use if nothing can be written to `directory`.
  var fallback: URL?
  /// The largest body that is kept in memory because it cannot be written to a file, in bytes.
  var memoryLimit: Int64 = 64 << 20
  /// The folder for resumable bodies that outlive their process.
  var partials: PartialFolder?
  /// The folder for ranges of bodies.
  var parts: PartShelf?
  /// The folder of a download, which goes with the last body that arrives there.
  var folder: ArrivalFolder?

  /// Makes a spool; nothing is written yet.
  ///
  /// - Parameters:
  ///   - directory: The directory of the files. An existing one must belong to this user and not be
  ///     writable for others. By default it is a directory of this user's below the system's temporary one.
  ///   - threshold: The largest body that stays in memory, in bytes; 1 MiB by default.
  public init(directory: URL? = nil, threshold: Int = 1 << 20) {
    self.directory = directory ?? Spool.defaultDirectory
    self.threshold = max(threshold, 0)
  }

  /// The default spool: up to 1 MiB in memory, and larger bodies in this user's folder below the
  /// system's temporary one.
  public static let temporary = Spool()

  static var defaultDirectory: URL {
    var temporary = FileManager.default.temporaryDirectory
    // A wrong `TMPDIR` must not be made.
    if !FileManager.default.fileExists(atPath: temporary.path) { temporary = URL(filePath: "/tmp") }
    return
      temporary
      .appendingPathComponent("freshet-\(geteuid())", isDirectory: true)
      .appendingPathComponent("spool", isDirectory: true)
  }
}
