#if !canImport(Darwin)
import CSQLite
import Foundation
import Synchronization

/// The calls to the system that SQLite makes for some files, counted, or failing.
enum SystemCalls {
  private typealias Read =
    @convention(c) (Int32, UnsafeMutableRawPointer?, Int, off_t) -> Int
  private typealias Write =
    @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int

  private struct State {
    /// The files that cannot be written while there is another one, by their numbers.
    var limited: [ino_t: String] = [:]
    /// The number of times that a file was read, by its number.
    var reads: [ino_t: Int] = [:]
  }

  private static let state = Mutex(State())

  /// Puts the functions in the place of the system's, which they call.
  private static let isInstalled: Bool = {
    guard let system = sqlite3_vfs_find(nil), let set = system.pointee.xSetSystemCall else {
      return false
    }
    let read: Read = { file, bytes, count, offset in
      SystemCalls.count(file)
      return pread(file, bytes, count, offset)
    }
    let write: Write = { file, bytes, count, offset in
      if SystemCalls.isLimited(file) {
        errno = EDQUOT
        return -1
      }
      return pwrite(file, bytes, count, offset)
    }
    for name in ["pread", "pread64"] {
      _ = set(system, name, unsafeBitCast(read, to: sqlite3_syscall_ptr.self))
    }
    for name in ["pwrite", "pwrite64"] {
      _ = set(system, name, unsafeBitCast(write, to: sqlite3_syscall_ptr.self))
    }
    return true
  }()

  /// Lets each write to a file fail, as beyond a quota, while there is another file.
  static func limit(_ path: String, whileThereIs other: String) -> Bool {
    guard isInstalled, let number = number(of: path) else { return false }
    state.withLock { $0.limited[number] = other }
    return true
  }

  /// Returns how often a file is read meanwhile; `nil` if that cannot be seen.
  static func reads(of path: String, during work: () async throws -> Void) async rethrows -> Int? {
    guard isInstalled, let number = number(of: path) else { return nil }
    state.withLock { $0.reads[number] = 0 }
    try await work()
    return state.withLock { $0.reads.removeValue(forKey: number) }
  }

  private static func number(of path: String) -> ino_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_ino : nil
  }

  private static func count(_ file: Int32) {
    var status = stat()
    if state.withLock(\.reads.isEmpty) || fstat(file, &status) != 0 { return }
    state.withLock { $0.reads[status.st_ino]? += 1 }
  }

  private static func isLimited(_ file: Int32) -> Bool {
    var status = stat()
    if state.withLock(\.limited.isEmpty) || fstat(file, &status) != 0 { return false }
    guard let other = state.withLock({ $0.limited[status.st_ino] }) else { return false }
    if access(other, F_OK) == 0 { return true }
    // The number may be that of another file later.
    state.withLock { $0.limited[status.st_ino] = nil }
    return false
  }
}
#endif
