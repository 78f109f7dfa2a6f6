import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Ports on loopback for servers that cannot choose their own.
enum FreePorts {
  /// Asks the system for ports that nobody listens on now.
  static func take(_ count: Int) throws -> [UInt16] {
    let sockets = try (0..<count).map { _ in try LoopbackSocket() }
    return try sockets.map { try $0.bind() }
  }
}

extension FreePorts {
  /// Waits until somebody listens on the port, at most ten seconds.
  static func answer(_ port: UInt16) async throws {
    let deadline = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < deadline {
      if try LoopbackSocket().connects(to: port) { return }
      // Another process has nothing that could be awaited: this is the only polling here.
      try await Task.sleep(for: .milliseconds(5))
    }
    throw PortError(port: port)
  }
}

/// Nobody listens on the port.
struct PortError: Error {
  let port: UInt16
}

/// A TCP socket that is closed with its last reference.
private final class LoopbackSocket {
  private let descriptor: Int32

  init() throws {
    #if canImport(Glibc)
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw PortError(port: 0) }
  }

  deinit {
    close(descriptor)
  }

  func bind() throws -> UInt16 {
    var address = Self.address(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        #if canImport(Glibc)
        Glibc.bind(descriptor, address, length) + getsockname(descriptor, address, &length)
        #else
        Darwin.bind(descriptor, address, length) + getsockname(descriptor, address, &length)
        #endif
      }
    }
    guard result == 0 else { throw PortError(port: 0) }
    return UInt16(bigEndian: address.sin_port)
  }

  func connects(to port: UInt16) -> Bool {
    var address = Self.address(port)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    return address
  }
}
