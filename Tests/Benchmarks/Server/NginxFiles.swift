import Foundation
import FreshetTesting
import TestSupport

/// The files of the benchmark's nginx.
struct NginxFiles {
  static let kibibyte = Data(repeating: UInt8(ascii: "a"), count: 1024)
  static let tenKibibytes = Data(repeating: UInt8(ascii: "b"), count: 10_240)

  let folder: URL

  func write() throws {
    let files = folder.appending(path: "files")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try Self.kibibyte.write(to: files.appending(path: "1k"))
    try Self.tenKibibytes.write(to: files.appending(path: "10k"))
    try Data(count: 1 << 20).write(to: files.appending(path: "slow"))
    try Command.output(
      "/usr/bin/openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", folder.appending(path: "server.key").path,
        "-out", folder.appending(path: "server.pem").path, "-days", "2",
        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
      ]
    )
  }

  /// Bytes that do not compress, the same in each mebibyte.
  static func writeNoise(mebibytes: Int, to file: URL) throws {
    _ = FileManager.default.createFile(atPath: file.path, contents: nil)
    let handle = try FileHandle(forWritingTo: file)
    var bytes = Data(capacity: 1 << 20)
    var generator = SeededGenerator(seed: 1)
    while bytes.count < 1 << 20 {
      withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
    }
    for _ in 0..<mebibytes { try handle.write(contentsOf: bytes) }
    try handle.close()
  }

  func configuration(_ ports: [UInt16]) -> String {
    """
      access_log off;
      default_type application/octet-stream;
      sendfile on;
      etag on;
      root \(folder.path)/files;
      keepalive_requests 100000000;
      keepalive_timeout 600s;
      client_max_body_size 4g;
      open_file_cache max=100;
      http2_max_concurrent_streams 256;
      server {
        listen 127.0.0.1:\(ports[0]) backlog=8192;
        \(locations)
      }
      server {
        listen 127.0.0.1:\(ports[1]) ssl http2;
        ssl_certificate server.pem;
        ssl_certificate_key server.key;
        \(locations)
      }
    """
  }

  private var locations: String {
    """
    location / { }
        location = /slow { limit_rate 1024; }
        location = /upload { dav_methods PUT; }
    """
  }
}
