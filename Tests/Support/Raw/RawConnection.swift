#if !canImport(Darwin)
import CLinux
package import Foundation

/// The server's end of a connection, on one thread.
package final class RawConnection {
  private let descriptor: Int32
  private var buffer = Data()
  private var isOpen = true

  package init(_ descriptor: Int32) {
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
  package func readHead() -> String? {
    while true {
      if let end = buffer.range(of: Data("\r\n\r\n".utf8)) {
        defer { buffer.removeSubrange(buffer.startIndex..<end.upperBound) }
        return String(decoding: buffer[..<end.upperBound], as: UTF8.self)
      }
      guard fill() else { return nil }
    }
  }

  package func read(_ count: Int) -> Data {
    while buffer.count < count, fill() {}
    defer { buffer.removeFirst(min(count, buffer.count)) }
    return Data(buffer.prefix(count))
  }

  /// Reads a chunked body.
  package func readChunks() -> Data {
    var body = Data()
    while let line = readLine(), let count = Int(line, radix: 16), count > 0 {
      body += read(count)
      _ = readLine()
    }
    _ = readLine()
    return body
  }

  /// Waits for the other side to close; whether it did so by the end or by a reset.
  package func waitForEnd() -> Bool {
    while fill() { buffer.removeAll() }
    return errno != EAGAIN
  }

  @discardableResult
  package func write(_ text: String) -> Bool {
    write(Data(text.utf8))
  }

  @discardableResult
  package func write(_ data: Data) -> Bool {
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
  package func flood(_ chunk: Data, limit: Int, pause: Int32) -> Int {
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
  package func end() {
    close(descriptor)
    isOpen = false
  }

  /// Says no more, but still reads.
  package func halfClose() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Closes with a reset.
  package func reset() {
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
#endif
