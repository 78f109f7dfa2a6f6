import Foundation

#if canImport(Glibc)
import CLinux
import Glibc
#else
import Darwin
#endif

/// The system calls for TCP sockets on 127.0.0.1.
enum Loopback {
  /// Makes a socket; negative if that fails.
  static func makeSocket() -> Int32 {
    #if canImport(Glibc)
    socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #else
    socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  /// Binds a socket to a port; to any free one if it is 0.
  static func bind(_ socket: Int32, to port: UInt16) -> Bool {
    withAddress(port) { address, length in
      #if canImport(Glibc)
      Glibc.bind(socket, address, length) == 0
      #else
      Darwin.bind(socket, address, length) == 0
      #endif
    }
  }

  /// Returns the port that a socket is bound to.
  static func port(of socket: Int32) -> UInt16? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(socket, $0, &length) == 0
      }
    }
    return isBound ? UInt16(bigEndian: address.sin_port) : nil
  }

  static func connect(_ socket: Int32, to port: UInt16) -> Bool {
    withAddress(port) { address, length in
      #if canImport(Glibc)
      Glibc.connect(socket, address, length) == 0
      #else
      Darwin.connect(socket, address, length) == 0
      #endif
    }
  }

  private static func withAddress(
    _ port: UInt16,
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
