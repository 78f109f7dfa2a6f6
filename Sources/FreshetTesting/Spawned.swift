package import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// A program that runs to its end, its output in files.
///
/// Foundation's `Process` sometimes crashes on Linux when a test process begins hundreds of programs
/// from several threads: there it is begun and waited for by its number.
package enum Spawned {
  package struct Failure: Error {
    let code: Int32
  }

  /// How a program ended.
  package struct End: Sendable {
    /// The exit status, or the number of the signal.
    package let status: Int32
    package let wasKilled: Bool
  }

  package static func run(
    _ program: URL,
    _ arguments: [String],
    output: URL,
    error: URL
  ) async throws -> End {
    #if canImport(Glibc)
    let process = try start(program.path, arguments, output: output.path, error: error.path)
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var status = Int32(0)
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        continuation.resume(
          returning: End(status: signal == 0 ? status >> 8 & 0xFF : signal, wasKilled: signal != 0)
        )
      }
    }
    #else
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: error)
    return try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { process in
        continuation.resume(
          returning: End(
            status: process.terminationStatus,
            wasKilled: process.terminationReason == .uncaughtSignal
          )
        )
      }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    #endif
  }

  #if canImport(Glibc)
  private static func start(
    _ program: String,
    _ arguments: [String],
    output: String,
    error: String
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, error, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    // What is not open is passed.
    for descriptor in Int32(3)..<512 { posix_spawn_file_actions_addclose(&actions, descriptor) }
    // The threads of the pool block signals, and a child that inherits that cannot be ended.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process = pid_t()
    let code = posix_spawn(&process, program, &actions, &attributes, &words, environ)
    guard code == 0 else { throw Failure(code: code) }
    return process
  }
  #endif
}
