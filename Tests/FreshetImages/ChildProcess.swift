#if os(Linux)
import Foundation
import Glibc

/// Another program, waited for by its own number on a thread of its own.
///
/// Foundation's `Process` learns of an end only when the program's children have gone as well, and
/// the monitor of exit tests does not rest while an ended child is not collected.
enum ChildProcess {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs a program found by `PATH` and waits for its end.
  ///
  /// - Throws: ``Failure`` with the end of what it wrote, if it does not end with success.
  static func run(_ arguments: [String], log: URL) async throws {
    let process = try start(arguments, log: log)
    let status = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var status = Int32(0)
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        continuation.resume(returning: status)
      }
    }
    guard status == 0 else {
      let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
      throw Failure(description: "\(arguments[0]) ended with \(status): \(text.suffix(4_000))")
    }
  }

  private static func start(_ arguments: [String], log: URL) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    // The threads of the pool block signals, and a child that inherits that cannot be ended.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process = pid_t()
    let status = posix_spawnp(&process, arguments[0], &actions, &attributes, &words, environ)
    guard status == 0 else {
      throw Failure(
        description: "\(arguments[0]) did not start: \(String(cString: strerror(status)))"
      )
    }
    return process
  }
}
#endif
