#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting

/// Asks a host that moves to the address of a server, in a mount namespace where a file is `/etc/hosts`.
enum MovedProbe {
  static func run(_ hosts: URL) async throws -> [String] {
    let server = try LoopbackServer(["/": .text("here")])
    let transport = CurlTransport {
      $0.proxy = .none
      $0.loops = 1
    }
    let client = Client {
      $0.transport = transport
      $0.retry = .never
    }
    let request = try Request("http://moved.test:\(server.port)/")
    var lines: [String] = []
    for address in ["127.0.0.2", "127.0.0.1"] {
      // The file stays the one that is mounted.
      let file = try FileHandle(forWritingTo: hosts)
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: Data("\(address) moved.test\n".utf8))
      try file.close()
      do throws(FreshetError) {
        let body = try await client.send(request).value.body
        lines.append(String(decoding: body, as: UTF8.self))
      } catch {
        lines.append(error.kind)
      }
    }
    return lines
  }
}
#endif
