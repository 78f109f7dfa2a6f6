#if os(Linux)
import Foundation
import Synchronization

/// A server of raw bytes on the loopback interface: each connection is played on a thread.
///
/// It listens until it is released; every read and write is bounded to thirty seconds.
final class RawServer: Sendable {
  let port: Int
  private let listener: Int32
  private let played = DispatchGroup()

  init(_ play: @escaping @Sendable (RawConnection) -> Void) throws {
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

  var base: String { "http://127.0.0.1:\(port)" }

  /// Waits until all connections so far have been played and closed.
  func waitForConnections() -> Bool {
    played.wait(timeout: .now() + 30) == .success
  }

  private func accept(_ play: @escaping @Sendable (RawConnection) -> Void) {
    let (listener, played) = (listener, played)
    Thread.detachNewThread {
      while true {
        let descriptor = Glibc.accept(listener, nil, nil)
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

/// The server's end of a connection, on one thread.
final class RawConnection {
  private let descriptor: Int32
  private var buffer = Data()
  private var isOpen = true

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
  }

  deinit {
    if isOpen { close(descriptor) }
  }

  /// Reads up to the blank line; `nil` at the end.
  func readHead() -> String? {
    while true {
      if let end = buffer.range(of: Data("\r\n\r\n".utf8)) {
        defer { buffer.removeSubrange(buffer.startIndex..<end.upperBound) }
        return String(decoding: buffer[..<end.upperBound], as: UTF8.self)
      }
      guard fill() else { return nil }
    }
  }

  func read(_ count: Int) -> Data {
    while buffer.count < count, fill() {}
    defer { buffer.removeFirst(min(count, buffer.count)) }
    return Data(buffer.prefix(count))
  }

  /// Reads a chunked body.
  func readChunks() -> Data {
    var body = Data()
    while let line = readLine(), let count = Int(line, radix: 16), count > 0 {
      body += read(count)
      _ = readLine()
    }
    _ = readLine()
    return body
  }

  /// Waits for the other side to close; whether it did so by the end or by a reset.
  func waitForEnd() -> Bool {
    while fill() { buffer.removeAll() }
    return errno != EAGAIN
  }

  @discardableResult
  func write(_ text: String) -> Bool {
    write(Data(text.utf8))
  }

  @discardableResult
  func write(_ data: Data) -> Bool {
    data.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
        let count = send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }

  /// Writes as long as the other side takes it; the bytes it took until it stopped for `pause`.
  func flood(_ chunk: Data, limit: Int, pause: Int32) -> Int {
    var total = 0
    while total < limit {
      var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard poll(&ready, 1, pause) > 0 else { return total }
      let count = chunk.withUnsafeBytes { bytes in
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        return send(descriptor, bytes.baseAddress, bytes.count, flags)
      }
      guard count > 0 else { return total }
      total += count
    }
    return total
  }

  /// Closes; what was written still arrives if all that was sent has been read.
  func end() {
    close(descriptor)
    isOpen = false
  }

  /// Closes with a reset.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_LINGER,
      &linger,
      socklen_t(MemoryLayout.size(ofValue: linger))
    )
    end()
  }

  private func readLine() -> String? {
    while true {
      if let end = buffer.range(of: Data("\r\n".utf8)) {
        defer { buffer.removeSubrange(buffer.startIndex..<end.upperBound) }
        return String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
      }
      guard fill() else { return nil }
    }
  }

  private func fill() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    errno = 0
    let count = recv(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return false }
    buffer.append(contentsOf: bytes[..<count])
    return true
  }
}

/// Something that one side waits for, at most thirty seconds, and the other side opens.
final class Latch: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() {
    semaphore.signal()
  }

  /// Blocks a thread of its own, never one of a task's.
  @discardableResult
  func block() -> Bool {
    semaphore.wait(timeout: .now() + 30) == .success
  }

  @discardableResult
  func wait() async -> Bool {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: self.block()) }
    }
  }
}

/// What a server has seen.
final class Seen<Value: Sendable>: Sendable {
  private let state = Mutex<[Value]>([])

  var values: [Value] { state.withLock { $0 } }

  func add(_ value: Value) {
    state.withLock { $0.append(value) }
  }
}
#endif
