import FreshetEssentials

#if !canImport(Darwin)
import CLinux
#endif

/// The system calls of a listener on 127.0.0.1; descriptors are closed in child processes.
enum ListeningSocket {
  /// Listens on 127.0.0.1.
  ///
  /// - Parameter port: The port, or 0 to let the system choose one.
  /// - Returns: The descriptor and the port.
  /// - Throws: The failure of the system call.
  static func listen(port: UInt16) throws(InspectorError) -> (descriptor: Int32, port: UInt16) {
    #if canImport(Darwin)
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #endif
    guard descriptor >= 0 else { throw failure(port) }
    closeInChildren(descriptor)
    set(descriptor, SOL_SOCKET, SO_REUSEADDR, Int32(1))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && FreshetEssentials.listen(descriptor, 64) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    guard isListening else {
      let failure = failure(port)
      close(descriptor)
      throw failure
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  private static func failure(_ port: UInt16) -> InspectorError {
    InspectorError(reason: String(cString: strerror(errno)), port: port)
  }

  /// Waits for a connection.
  ///
  /// - Parameters:
  ///   - listener: The descriptor of the listener.
  ///   - isOpen: Returns `false` once the listener is shut down.
  /// - Returns: The descriptor of the connection; `nil` once the listener is shut down.
  static func accept(_ listener: Int32, while isOpen: () -> Bool) -> Int32? {
    while isOpen() {
      #if canImport(Darwin)
      // On Darwin, shutting a listener down does not wake the thread that waits for it.
      var descriptors = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
      guard poll(&descriptors, 1, 500) > 0 else { continue }
      let descriptor = FreshetEssentials.accept(listener, nil, nil)
      #else
      let descriptor = accept4(listener, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
      #endif
      if descriptor >= 0 {
        closeInChildren(descriptor)
        return descriptor
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(20_000)
      default: return nil
      }
    }
    return nil
  }

  /// Sets the longest time that a read and a write wait, in seconds.
  static func limitWaiting(_ descriptor: Int32, seconds: Int) {
    let time = timeval(tv_sec: seconds, tv_usec: 0)
    set(descriptor, SOL_SOCKET, SO_RCVTIMEO, time)
    set(descriptor, SOL_SOCKET, SO_SNDTIMEO, time)
    #if canImport(Darwin)
    set(descriptor, SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
    #endif
  }

  /// Reads some bytes; `nil` at the end, after a failure, and when nothing comes for too long.
  static func read(_ descriptor: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 4 << 10)
    while true {
      let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
      if count > 0 { return Array(buffer[..<count]) }
      guard count < 0, errno == EINTR else { return nil }
    }
  }

  /// Waits until there is something to read, or the end, and returns whether there was before a time.
  static func isReadable(_ descriptor: Int32, before end: ContinuousClock.Instant) -> Bool {
    var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    while true {
      let rest = end - .now
      guard rest > .zero else { return false }
      let count = poll(&descriptors, 1, Int32(max(1, min(60_000, rest / .milliseconds(1)))))
      if count > 0 { return true }
      if count < 0, errno != EINTR { return false }
    }
  }

  /// Writes all bytes, and returns whether that was possible.
  static func write(_ bytes: Data, to descriptor: Int32) -> Bool {
    #if canImport(Darwin)
    let flags: Int32 = 0
    #else
    let flags = Int32(MSG_NOSIGNAL)
    #endif
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  /// Ends what waits for the descriptor; it is still to be closed.
  static func shutDown(_ descriptor: Int32) {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
  }

  static func close(_ descriptor: Int32) {
    _ = FreshetEssentials.close(descriptor)
  }

  private static func closeInChildren(_ descriptor: Int32) {
    #if canImport(Darwin)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    #endif
  }

  private static func set<Value: BitwiseCopyable>(
    _ descriptor: Int32,
    _ level: Int32,
    _ name: Int32,
    _ value: Value
  ) {
    var value = value
    _ = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Value>.size))
  }
}
