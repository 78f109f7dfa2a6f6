#if !canImport(Darwin)
import Foundation
import Freshet
import TestSupport

/// How a fault is put in place, and ended, so that the same URL can be asked for again.
struct Mending: Sendable {
  /// Puts the fault in place; the URL at which it is.
  let prepare: @Sendable (URL) throws -> URL
  /// From now on a sound answer comes from there.
  let mend: @Sendable (URL) throws -> Void

  /// Each attempt has a URL of its own, by which the server knows it.
  static func wire(_ server: ServerProcess) -> Mending {
    let port = server.ports[0]
    return Mending(
      prepare: { URL(string: "\($0.absoluteString)?\(UUID().uuidString)") ?? $0 },
      mend: { _ = try Control.ask(port, "/mend?\($0.query() ?? "")") }
    )
  }
}

/// Asks a server something beside what is tried, over a connection that ends with the answer.
enum Control {
  static func ask(_ port: Int, _ target: String) throws -> String {
    let connection = RawConnection(to: UInt16(port))
    connection.write("GET \(target) HTTP/1.1\r\nHost: control\r\nConnection: close\r\n\r\n")
    guard connection.readHead() != nil else { throw LabError("no answer to \(target)") }
    return String(decoding: connection.readToEnd(), as: UTF8.self)
  }
}
#endif
