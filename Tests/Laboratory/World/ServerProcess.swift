#if os(Linux)
import Foundation
import Freshet

/// A server in a process of its own, which ends when it is stopped or when this process ends.
final class ServerProcess: Sendable {
  let ports: [Int]
  private let process: pid_t
  private let input: Int32

  /// Starts this program as a server, or another program, and reads the ports that it prints.
  init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    var (toServer, fromServer): ([Int32], [Int32]) = ([0, 0], [0, 0])
    guard pipe(&toServer) == 0, pipe(&fromServer) == 0 else {
      throw LabError("no pipe")
    }
    for end in toServer + fromServer { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toServer[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromServer[1], 1)
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process = pid_t()
    guard posix_spawn(&process, program, &actions, nil, &words, environ) == 0 else {
      throw LabError("\(program) does not start")
    }
    close(toServer[0])
    close(fromServer[1])
    (self.process, input) = (process, toServer[1])
    defer { close(fromServer[0]) }
    var text = ""
    var byte = UInt8(0)
    while read(fromServer[0], &byte, 1) == 1, byte != 10 { text.unicodeScalars.append(.init(byte)) }
    ports = text.split(separator: " ").compactMap { Int($0) }
    guard !ports.isEmpty else {
      kill(process, SIGTERM)
      throw LabError("\(program) names no port: \(text)")
    }
  }

  static func wire() throws -> ServerProcess {
    try ServerProcess("/proc/self/exe", ["--serve", "wire"])
  }

  /// Runs a script of this folder.
  static func python(_ script: String, _ arguments: [String]) throws -> ServerProcess {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: script)
    return try ServerProcess("/usr/bin/env", ["python3", file.path] + arguments)
  }

  func url(
    _ path: String,
    scheme: String = "http",
    host: String = "127.0.0.1",
    port: Int = 0
  ) -> URL {
    URL(string: "\(scheme)://\(host):\(ports[port])\(path)") ?? URL(filePath: "/")
  }

  func stop() {
    close(input)
    kill(process, SIGTERM)
    var status = Int32(0)
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }
}
#endif
