#if os(Linux)
import Foundation

/// An nginx that serves one file, for the requests that nothing happens to.
final class Nginx: Sendable {
  private let port: Int
  private let process: pid_t

  /// `nil` where nginx is not installed.
  init?(in bench: Bench) throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx") else { return nil }
    let folder = bench.folder("nginx")
    let files = folder.appending(path: "files")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try Wire.body.write(to: files.appending(path: "body"))
    port = try Self.freePort()
    try Self.configuration(folder, port)
      .write(to: folder.appending(path: "nginx.conf"), atomically: true, encoding: .utf8)
    var process = pid_t()
    let file = folder.appending(path: "nginx.conf").path
    let arguments = ["nginx", "-p", folder.path, "-c", file, "-e", "error.log"]
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    guard posix_spawn(&process, "/usr/sbin/nginx", nil, nil, &words, environ) == 0 else {
      throw LabError("nginx does not start")
    }
    self.process = process
    for _ in 0..<2_000 where !Self.answers(port) { usleep(5_000) }
  }

  func url(_ path: String) -> URL {
    URL(string: "http://127.0.0.1:\(port)\(path)") ?? URL(filePath: "/")
  }

  func stop() {
    kill(process, SIGTERM)
    var status = Int32(0)
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }

  private static func configuration(_ folder: URL, _ port: Int) -> String {
    """
    daemon off;
    worker_processes 1;
    pid nginx.pid;
    user \(NSUserName());
    events { worker_connections 1024; }
    http {
      access_log off;
      client_body_temp_path body;
      proxy_temp_path proxy;
      fastcgi_temp_path fastcgi;
      uwsgi_temp_path uwsgi;
      scgi_temp_path scgi;
      root \(folder.path)/files;
      keepalive_requests 1000;
      server { listen 127.0.0.1:\(port) backlog=1024; }
    }
    """
  }

  private static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) | getsockname(descriptor, $0, &size)
      }
    }
    guard code == 0 else { throw LabError("no port is free") }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  private static func answers(_ port: Int) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(UInt16(port))
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    return address
  }
}
#endif
