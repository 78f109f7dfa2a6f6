import Foundation
import Synchronization

#if canImport(Glibc)
import CLinux
import Glibc
#else
import Darwin
#endif

/// A `redis-server` on loopback, from its start to its end by its process id.
///
/// It is empty, writes nothing, and ends after five minutes whatever becomes of the tests.
package final class RedisServer: Sendable {
  /// The path of the executable, or `nil` where it is not installed.
  package static let executable = Program.path("redis-server") ?? Program.path("valkey-server")

  package let port: UInt16
  private let folder: URL
  private let options: [String]
  private let process: Mutex<ChildProcess?>

  /// Starts a server, and returns when it listens.
  ///
  /// - Parameters:
  ///   - port: Its port; a free one by default.
  ///   - options: Further options, such as `["--maxmemory", "2mb"]`.
  /// - Throws: ``RedisError`` if it does not listen within 60 seconds, and ``SpawnError``.
  package init(port: UInt16? = nil, options: [String] = []) async throws {
    self.port = try port ?? FreePorts.take(1)[0]
    self.options = options
    folder = FileManager.default.temporaryDirectory.appending(path: "redis-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    process = Mutex(nil)
    try await start()
  }

  deinit {
    process.withLock { process in
      process?.signal(SIGTERM)
      _ = process?.waitForEnd()
    }
    try? FileManager.default.removeItem(at: folder)
  }

  /// The URL of the server.
  package var url: String { "redis://127.0.0.1:\(port)" }
  /// The URL of its socket.
  package var socketURL: String { "unix://\(folder.path)/socket" }

  /// Starts it again after ``kill()``.
  package func start() async throws {
    let words =
      [
        "-k", "2", "900", Self.executable ?? "redis-server", "--port", "\(port)", "--bind",
        "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder.path, "--pidfile",
        folder.appending(path: "pid").path, "--unixsocket", folder.appending(path: "socket").path,
        "--logfile", folder.appending(path: "log").path,
      ] + options
    let deadline = ContinuousClock.now + .seconds(60)
    for attempt in 1... {
      let child = try ChildProcess(Program.path("timeout") ?? "timeout", words)
      process.withLock { $0 = child }
      // Another process has nothing that could be awaited.
      while !listens, !child.hasEnded, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(5))
      }
      if listens { return }
      // Its port may have been taken for a moment.
      guard attempt < 3, ContinuousClock.now < deadline else { throw RedisError(log: log) }
    }
  }

  /// Kills it at once, and waits for its end.
  package func kill() {
    signal(SIGKILL)
    process.withLock { process in
      _ = process?.waitForEnd()
      process = nil
    }
    try? FileManager.default.removeItem(at: folder.appending(path: "pid"))
  }

  /// Sends a signal to the server itself, such as `SIGSTOP`.
  package func signal(_ number: Int32) {
    guard let processIdentifier else { return }
    _ = Self.send(number, to: processIdentifier)
  }

  /// What the server has written; `nil` before that, when its file is missing or still empty.
  private var processIdentifier: pid_t? {
    let text = try? String(contentsOf: folder.appending(path: "pid"), encoding: .utf8)
    return text.flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }

  private static func send(_ number: Int32, to process: pid_t) -> Int32 {
    #if canImport(Glibc)
    Glibc.kill(process, number)
    #else
    Darwin.kill(process, number)
    #endif
  }

  /// Runs a command by `redis-cli`, and returns what it prints.
  @discardableResult
  package func command(_ words: String...) async throws -> String {
    let run = try await ProgramRun(
      Program.path("redis-cli") ?? "redis-cli",
      ["-p", "\(port)"] + words
    )
    return run.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private var log: String {
    (try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)) ?? ""
  }

  private var listens: Bool { processIdentifier != nil && accepts }

  private var accepts: Bool {
    let descriptor = Loopback.makeSocket()
    defer { close(descriptor) }
    return Loopback.connect(descriptor, to: port)
  }
}

/// A `redis-server` did not start.
package struct RedisError: Error {
  package let log: String
}
