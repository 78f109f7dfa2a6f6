package import Foundation
import Synchronization

/// Another program, known by its number from its start to its end.
///
/// Foundation's `Process` now and then crashes the tests on Linux, which begin programs from several
/// threads. A program that is let go of is killed.
package final class ChildProcess: Sendable {
  /// How a program ended.
  package struct End: Sendable {
    /// The exit status, or the number of the signal.
    package let status: Int32
    package let wasKilled: Bool
  }

  package let processIdentifier: pid_t
  private let life: Life

  /// Starts a program with nothing open but its input, its output, and its error output.
  ///
  /// - Parameters:
  ///   - program: The path of the program.
  ///   - arguments: What follows its name.
  ///   - folder: The working directory, or `nil` for this process's own.
  ///   - standards: Its input, output and error output.
  /// - Throws: ``SpawnError`` if it does not start.
  package init(
    _ program: String,
    _ arguments: [String] = [],
    in folder: URL? = nil,
    standards: Standards = Standards()
  ) throws {
    if let folder {
      let shell = ["-c", #"cd "$0" && exec "$@""#, folder.path, program]
      processIdentifier = try Spawn.start("/bin/sh", shell + arguments, standards)
    } else {
      processIdentifier = try Spawn.start(program, arguments, standards)
    }
    life = Life(processIdentifier)
  }

  deinit {
    life.signal(SIGKILL)
  }

  /// Sends a signal, unless the program has ended.
  package func signal(_ number: Int32) {
    life.signal(number)
  }

  /// Whether its end has been seen.
  package var hasEnded: Bool { life.hasEnded }

  /// Its end, which a thread waits for.
  package func end() async -> End {
    await life.end()
  }

  /// Its end, which this thread waits for.
  package func waitForEnd() -> End {
    life.waitForEnd()
  }
}

/// What is known of a program while it runs; the thread that waits for its end keeps it.
private final class Life: Sendable {
  private let process: pid_t
  private let outcome = Mutex<ChildProcess.End?>(nil)
  private let ended = DispatchGroup()

  init(_ process: pid_t) {
    self.process = process
    ended.enter()
    Thread.detachNewThread { self.collect() }
  }

  func signal(_ number: Int32) {
    outcome.withLock { outcome in
      // Its number is its own until its end has been collected.
      if outcome == nil { _ = kill(process, number) }
    }
  }

  var hasEnded: Bool { outcome.withLock { $0 != nil } }

  func end() async -> ChildProcess.End {
    await withCheckedContinuation { continuation in
      ended.notify(queue: .global()) { continuation.resume() }
    }
    return known()
  }

  func waitForEnd() -> ChildProcess.End {
    ended.wait()
    return known()
  }

  private func known() -> ChildProcess.End {
    outcome.withLock { $0 } ?? ChildProcess.End(status: -1, wasKilled: true)
  }

  private func collect() {
    var information = siginfo_t()
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    outcome.withLock { outcome in
      var status = Int32(0)
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      let signal = status & 0x7F
      outcome = ChildProcess.End(
        status: signal == 0 ? status >> 8 & 0xFF : signal,
        wasKilled: signal != 0
      )
    }
    ended.leave()
  }
}
