import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Ports on loopback for servers that cannot choose their own.
package enum FreePorts {
  /// The ports that this process has given away, whose servers may not listen yet.
  private static let given = Mutex<Set<UInt16>>([])

  /// Finds ports that nobody listens on now.
  ///
  /// They are below those that systems give to connections and to whoever asks for any port, so that
  /// nothing else in the tests takes one before its server does. None is given away twice.
  package static func take(_ count: Int) throws -> [UInt16] {
    var sockets: [LoopbackSocket] = []
    var ports: [UInt16] = []
    for _ in 0..<10_000 where ports.count < count {
      let (socket, port) = (try LoopbackSocket(), UInt16.random(in: 15_000..<32_000))
      // One that was given away is not even tried: its server may be about to start again.
      guard given.withLock({ $0.insert(port).inserted }), socket.binds(to: port) else { continue }
      sockets.append(socket)
      ports.append(port)
    }
    guard ports.count == count else { throw PortError(port: 0) }
    return ports
  }
}

/// There is no such port.
package struct PortError: Error {
  package let port: UInt16

  package init(port: UInt16) {
    self.port = port
  }
}

/// A TCP socket that is closed with its last reference.
private final class LoopbackSocket {
  private let descriptor: Int32

  init() throws {
    descriptor = Loopback.makeSocket()
    guard descriptor >= 0 else { throw PortError(port: 0) }
  }

  deinit {
    close(descriptor)
  }

  func binds(to port: UInt16) -> Bool {
    Loopback.bind(descriptor, to: port)
  }
}
