import Foundation

#if canImport(Glibc)
import CLinux
import Glibc
#else
import Darwin
#endif

/// A program did not start.
package struct SpawnError: Error, CustomStringConvertible {
  package let description: String

  init(_ program: String, code: Int32) {
    description = "\(program): \(String(cString: strerror(code)))"
  }
}

/// The start of a program.
enum Spawn {
  static func start(
    _ program: String,
    _ arguments: [String],
    _ standards: Standards
  ) throws -> pid_t {
    #if canImport(Glibc)
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    #else
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    switch standards.input {
    case .nothing: posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    case .file(let file): posix_spawn_file_actions_addopen(&actions, 0, file.path, O_RDONLY, 0)
    case .pipe(let pipe):
      posix_spawn_file_actions_adddup2(&actions, pipe.fileHandleForReading.fileDescriptor, 0)
    }
    for (number, output) in [(Int32(1), standards.output), (2, standards.error)] {
      switch output {
      case .nothing: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_WRONLY, 0)
      case .file(let file):
        let mode = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, number, file.path, mode, 0o600)
      case .pipe(let pipe):
        let end = pipe.fileHandleForWriting.fileDescriptor
        posix_spawn_file_actions_adddup2(&actions, end, number)
      }
    }
    // Pipes and connections of others would be held open, so that their end is not seen.
    #if canImport(Glibc)
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    let flags = POSIX_SPAWN_SETSIGMASK
    #else
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT
    #endif
    // The threads of the pool block signals, and a child that inherits that cannot be ended.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process = pid_t()
    let code = posix_spawn(&process, program, &actions, &attributes, &words, environ)
    standards.closeFarEnds()
    guard code == 0 else { throw SpawnError(program, code: code) }
    return process
  }
}
