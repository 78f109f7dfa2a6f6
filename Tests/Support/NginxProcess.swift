package import Foundation

/// An nginx on loopback, from its start to its stop by its process id.
package final class NginxProcess: Sendable {
  /// Where the executable is, or `nil` where nginx is not installed.
  package static let executable = Program.path("nginx")

  /// What it listens on.
  package let ports: [UInt16]
  private let process: ChildProcess

  /// Starts it in a folder, and returns when it listens.
  ///
  /// - Parameters:
  ///   - folder: The folder of its files.
  ///   - count: How many ports it gets.
  ///   - connections: How many it may have at once.
  ///   - configuration: What its `http` block holds, for its ports.
  /// - Throws: ``NginxError`` with its log if it does not start within ten seconds.
  package init(
    in folder: URL,
    ports count: Int,
    connections: Int = 1_024,
    configuration: ([UInt16]) -> String
  ) async throws {
    let file = folder.appending(path: "nginx.conf")
    for _ in 0..<5 {
      let ports = try FreePorts.take(count)
      let text = Self.configuration(http: configuration(ports), connections: connections)
      try text.write(to: file, atomically: true, encoding: .utf8)
      let process = try ChildProcess(
        Self.executable ?? "nginx",
        ["-p", folder.path, "-c", file.path, "-e", "error.log"]
      )
      if try await Self.listens(process, in: folder) {
        self.ports = ports
        self.process = process
        return
      }
      // Somebody else has taken a port in between.
    }
    throw NginxError(log: Self.log(in: folder))
  }

  package func stop() {
    process.signal(SIGTERM)
    _ = process.waitForEnd()
  }

  /// One worker, which keeps all its files in its folder.
  private static func configuration(http: String, connections: Int) -> String {
    """
    daemon off;
    worker_processes 1;
    pid nginx.pid;
    user \(NSUserName());
    worker_rlimit_nofile \(2 * connections);
    events { worker_connections \(connections); }
    http {
      client_body_temp_path body;
      proxy_temp_path proxy;
      fastcgi_temp_path fastcgi;
      uwsgi_temp_path uwsgi;
      scgi_temp_path scgi;
    \(http)
    }
    """
  }

  /// Whether it has come to write its process id, which it does after it listens everywhere.
  private static func listens(_ process: ChildProcess, in folder: URL) async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    let file = folder.appending(path: "nginx.pid").path
    while !process.hasEnded {
      let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
      if let size, size > 0 { return true }
      // Asked before the time is looked at: a busy machine may wake this up long after the deadline.
      guard ContinuousClock.now < deadline else { throw NginxError(log: log(in: folder)) }
      // Another process has nothing that could be awaited: this is the only polling of the tests.
      try await Task.sleep(for: .milliseconds(5))
    }
    return false
  }

  private static func log(in folder: URL) -> String {
    (try? String(contentsOf: folder.appending(path: "error.log"), encoding: .utf8)) ?? ""
  }
}

/// An nginx did not start.
package struct NginxError: Error {
  package let log: String
}
