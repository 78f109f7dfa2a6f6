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
    let listener = Loopback.makeSocket()
    guard Loopback.bind(listener, to: 0), listen(listener, 64) == 0,
      let port = Loopback.port(of: listener)
    else {
      close(listener)
      throw PortError(port: 0)
    }
    (self.listener, self.port) = (listener, port)
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
    let server = Loopback.makeSocket()
    guard Loopback.connect(server, to: target) else {
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
}
