package import Foundation

#if !canImport(Darwin)
import CLinux
#endif

/// One end of a TCP connection, on one thread, whose bytes are seen as they are.
///
/// Every read and write is bounded to two minutes.
package final class RawConnection {
  #if canImport(Darwin)
  private static let sendingFlags: Int32 = 0
  #else
  private static let sendingFlags = Int32(MSG_NOSIGNAL)
  #endif

  private let descriptor: Int32
  private var buffer = Data()
  private var isOpen = true
  /// The `errno` of the read that ended the connection, 0 for its regular end.
  package private(set) var endReason: Int32?

  package init(_ descriptor: Int32) {
    self.descriptor = descriptor
    set(SO_RCVTIMEO, timeval(tv_sec: 120, tv_usec: 0))
    set(SO_SNDTIMEO, timeval(tv_sec: 120, tv_usec: 0))
    #if canImport(Darwin)
    set(SO_NOSIGPIPE, Int32(1))
    #endif
  }

  /// Connects to a server on the loopback interface; without one, reads and writes fail.
  package convenience init(to port: UInt16, receiveBufferBytes: Int32? = nil) {
    self.init(Loopback.makeSocket())
    if let receiveBufferBytes { set(SO_RCVBUF, receiveBufferBytes) }
    _ = Loopback.connect(descriptor, to: port)
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

  /// Reads exactly so many bytes, or fewer if the connection ends.
  package func read(_ count: Int) -> Data {
    while buffer.count < count, fill() {}
    defer { buffer.removeFirst(min(count, buffer.count)) }
    return Data(buffer.prefix(count))
  }

  /// Reads everything until the connection ends.
  package func readToEnd() -> Data {
    while fill() {}
    defer { buffer = Data() }
    return buffer
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
    return endReason != EAGAIN
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
        let count = send(descriptor, rest.baseAddress, rest.count, Self.sendingFlags)
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
        let flags = Self.sendingFlags | Int32(MSG_DONTWAIT)
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
    set(SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    end()
  }

  private func set<Value: BitwiseCopyable>(_ name: Int32, _ value: Value) {
    var value = value
    setsockopt(descriptor, SOL_SOCKET, name, &value, socklen_t(MemoryLayout<Value>.size))
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
    let count = recv(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else {
      endReason = count == 0 ? 0 : errno
      return false
    }
    buffer.append(contentsOf: bytes[..<count])
    return true
  }
}
