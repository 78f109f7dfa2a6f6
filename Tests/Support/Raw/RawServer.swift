#if !canImport(Darwin)
import CLinux
import Foundation

/// A server of raw bytes on the loopback interface: each connection is played on a thread.
///
/// It listens until it is released; every read and write is bounded to two minutes.
package final class RawServer: Sendable {
  package let port: Int
  private let listener: Int32
  private let played = DispatchGroup()

  package init(_ play: @escaping @Sendable (RawConnection) -> Void) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        max(-bind(listener, address, size), -listen(listener, 512))
          | -getsockname(listener, address, &size)
      }
    }
    guard code == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    self.listener = listener
    port = Int(UInt16(bigEndian: address.sin_port))
    accept(play)
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
  }

  package var base: String { "http://127.0.0.1:\(port)" }

  /// Waits until all connections so far have been played and closed.
  package func waitForConnections() -> Bool {
    played.wait(timeout: .now() + 30) == .success
  }

  private func accept(_ play: @escaping @Sendable (RawConnection) -> Void) {
    let (listener, played) = (listener, played)
    Thread.detachNewThread {
      while true {
        let descriptor = accept4(listener, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
        if descriptor < 0, [EINTR, ECONNABORTED].contains(errno) { continue }
        guard descriptor >= 0 else { break }
        played.enter()
        Thread.detachNewThread {
          play(RawConnection(descriptor))
          played.leave()
        }
      }
      close(listener)
    }
  }
}
#endif
