#if !canImport(Darwin)
import Foundation
import Freshet

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
    let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard file >= 0 else { throw LabError("no socket: \(String(cString: strerror(errno)))") }
    defer { close(file) }
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    let head = "GET \(target) HTTP/1.1\r\nHost: control\r\nConnection: close\r\n\r\n"
    guard code == 0, send(file, head, head.utf8.count, Int32(MSG_NOSIGNAL)) > 0 else {
      throw LabError("nobody controls \(port): \(String(cString: strerror(errno)))")
    }
    var (answer, bytes) = (Data(), [UInt8](repeating: 0, count: 4_096))
    while case let count = recv(file, &bytes, bytes.count, 0), count > 0 {
      answer.append(contentsOf: bytes[..<count])
    }
    guard let end = answer.range(of: Data("\r\n\r\n".utf8)) else {
      throw LabError("no answer to \(target)")
    }
    return String(decoding: answer[end.upperBound...], as: UTF8.self)
  }
}
#endif
