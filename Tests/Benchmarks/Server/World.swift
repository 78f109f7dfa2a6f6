import Foundation
import Freshet
import FreshetTesting
import TestSupport

/// What the cases find: a server on loopback and a folder of their own.
///
/// The server is nginx, bound to loopback, in the folder, stopped by its process; where nginx is
/// not installed it is a `LoopbackServer`, and the cases that need TLS are left out.
final class World: Sendable {
  let folder: URL
  let options: Options
  private let ports: [UInt16]
  private let directory: TemporaryDirectory?
  private let nginx: NginxProcess?
  private let loopback: LoopbackServer?

  /// Whether TLS and uploads are there.
  var isNginx: Bool { ports.count > 1 }

  private init(
    _ options: Options,
    folder: URL,
    ports: [UInt16],
    directory: TemporaryDirectory? = nil,
    nginx: NginxProcess? = nil,
    loopback: LoopbackServer? = nil
  ) {
    self.options = options
    self.folder = folder
    self.ports = ports
    self.directory = directory
    self.nginx = nginx
    self.loopback = loopback
  }

  static func start(_ options: Options) async throws -> World {
    let directory = try TemporaryDirectory()
    guard NginxProcess.executable != nil else {
      let server = try LoopbackServer([
        "/1k": .response(200, body: NginxFiles.kibibyte),
        "/10k": .content(NginxFiles.tenKibibytes, type: "text/plain", eTag: "\"v1\""),
      ])
      return World(
        options,
        folder: directory.url,
        ports: [server.port],
        directory: directory,
        loopback: server
      )
    }
    let files = NginxFiles(folder: directory.url)
    try files.write()
    let nginx = try await NginxProcess(in: directory.url, ports: 2, connections: 8_192) {
      files.configuration($0)
    }
    return World(
      options,
      folder: directory.url,
      ports: nginx.ports,
      directory: directory,
      nginx: nginx
    )
  }

  /// The world of the parent process.
  static func joined(_ options: Options) throws -> World {
    guard let folder = options.server.first else { throw BenchError("--child needs --server") }
    let ports = options.server.dropFirst().compactMap { UInt16($0) }
    return World(options, folder: URL(filePath: folder), ports: ports)
  }

  /// What ``joined(_:)`` reads.
  var description: [String] { [folder.path] + ports.map(String.init) }

  func stop() {
    nginx?.stop()
  }

  func http(_ path: String) -> URL { url("http://127.0.0.1:\(ports[0])\(path)") }

  func https(_ path: String) -> URL { url("https://localhost:\(ports[1])\(path)") }

  var certificate: URL { folder.appending(path: "server.pem") }

  /// Where a body of so many MiB is.
  func large(_ mebibytes: Int) throws -> URL {
    http("/\(try largeFile(mebibytes).lastPathComponent)")
  }

  /// The file of that body, made when it is first asked for.
  func largeFile(_ mebibytes: Int) throws -> URL {
    let file = folder.appending(path: "files/large-\(mebibytes)")
    if !FileManager.default.fileExists(atPath: file.path) {
      try NginxFiles.writeNoise(mebibytes: mebibytes, to: file)
    }
    return file
  }

  /// A new folder for a store.
  func newFolder(_ name: String) -> URL {
    folder.appending(path: "\(name)-\(UUID().uuidString)", directoryHint: .isDirectory)
  }

  private func url(_ text: String) -> URL {
    URL(string: text) ?? folder
  }
}
