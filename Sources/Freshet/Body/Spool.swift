public import Foundation

/// Where the bodies of responses rest while they arrive.
///
/// A small body stays in memory; one that grows past ``threshold`` goes on in a file of its own:
/// with mode 0600 and a name that nobody can guess, in a directory of mode 0700. The file vanishes
/// with the last value that refers to it, unless a store takes it over. What a process leaves
/// behind when it is killed is removed by ``sweep()``, which never touches a file in use; in the
/// default directory, the first body of each process does that.
///
/// The file of a response that may not be stored has no name: nobody else can open it, and it ends with
/// its process, however that ends.
///
/// Where no file can be made or written, on a full disk, without a free descriptor, or in a directory
/// that has vanished, up to 64 MiB go on in memory.
///
/// ```swift
/// var spool = Spool()
/// spool.threshold = 256 << 10
/// try spool.sweep()
/// ```
public struct Spool: Sendable, Hashable {
  /// Where the files are; made when it is needed.
  public var directory: URL
  /// The largest body that stays in memory, in bytes; 1 MiB by default.
  public var threshold: Int
  /// Where to go if nothing can be written to `directory`.
  var fallback: URL?
  /// The largest body that goes on in memory because it cannot go to a file, in bytes.
  var memoryLimit: Int64 = 64 << 20
  /// Where bodies that may be resumed arrive, if they outlive their process.
  var partials: PartialFolder?
  /// Where ranges of bodies are kept.
  var parts: PartShelf?

  /// Makes a spool; nothing is written yet.
  ///
  /// - Parameters:
  ///   - directory: Where the files go. A directory that is there must belong to this user and not
  ///     be writable to others. By default it is one of this user's below the system's temporary
  ///     directory.
  ///   - threshold: The largest body that stays in memory, in bytes; 1 MiB by default.
  public init(directory: URL? = nil, threshold: Int = 1 << 20) {
    self.directory = directory ?? Spool.defaultDirectory
    self.threshold = max(threshold, 0)
  }

  /// The default: up to 1 MiB in memory, and then this user's folder below the system's temporary one.
  public static let temporary = Spool()

  static var defaultDirectory: URL {
    FileManager.default.temporaryDirectory
      .appendingPathComponent("freshet-\(geteuid())", isDirectory: true)
      .appendingPathComponent("spool", isDirectory: true)
  }
}
