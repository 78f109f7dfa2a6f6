import Foundation
import Synchronization

#if canImport(Glibc)
import CLinux
import Glibc
#else
import Darwin
#endif

/// A TCP proxy on loopback that delays what a server replies, or holds all that is sent.
package final class LatencyProxy: Sendable {
  package let port: UInt16
  private let listener: Int32
  private let delay: Atomic<Int>
  private let isHeld = Atomic(false)

  /// Starts a proxy.
  ///
  /// - Parameters:
  ///   - target: The port of the server.
  ///   - delay: The delay of each reply, in milliseconds.
  /// - Throws: ``PortError`` if it cannot listen.
  package init(to target: UInt16, delay: Int) throws {
    self.delay = Atomic(delay)
    port = try FreePorts.take(1)[0]
    let listener = Self.makeSocket()
    self.listener = listener
    let isListening = Self.withAddress(port) { address, length in
      bind(listener, address, length) == 0 && listen(listener, 64) == 0
    }
    guard isListening else { throw PortError(port: port) }
    Thread.detachNewThread { [weak self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0, let self else { return }
        self.connect(client, to: target)
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// Changes the delay, in milliseconds.
  package func setDelay(_ milliseconds: Int) {
    delay.store(milliseconds, ordering: .relaxed)
  }

  /// Holds what both sides send, as a partition of the network does, or lets it pass again.
  package func hold(_ isHeld: Bool) {
    self.isHeld.store(isHeld, ordering: .relaxed)
  }

  private func connect(_ client: Int32, to target: UInt16) {
    let server = Self.makeSocket()
    let isConnected = Self.withAddress(target) { address, length in
      #if canImport(Glibc)
      Glibc.connect(server, address, length) == 0
      #else
      Darwin.connect(server, address, length) == 0
      #endif
    }
    guard isConnected else {
      close(server)
      close(client)
      return
    }
    let ends = Atomics(2)
    for (source, sink, isReply) in [(client, server, false), (server, client, true)] {
      Thread.detachNewThread { [weak self] in
        var bytes = [UInt8](repeating: 0, count: 256 << 10)
        while true {
          let count = recv(source, &bytes, bytes.count, 0)
          guard count > 0 else { break }
          if isReply, let delay = self?.delay.load(ordering: .relaxed), delay > 0 {
            usleep(UInt32(delay) * 1_000)
          }
          while self?.isHeld.load(ordering: .relaxed) == true { usleep(1_000) }
          guard send(sink, bytes, count, Int32(MSG_NOSIGNAL)) == count else { break }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(sink, Int32(SHUT_RDWR))
        if ends.releaseOne() {
          close(source)
          close(sink)
        }
      }
    }
  }

  private final class Atomics: Sendable {
    private let count: Atomic<Int>
    init(_ count: Int) { self.count = Atomic(count) }
    func releaseOne() -> Bool {
      count.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
    }
  }

  private static func makeSocket() -> Int32 {
    #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    return descriptor
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
