import FreshetEssentials

#if !canImport(Darwin)
import CLinux
#endif

/// The system calls for the server's TCP sockets; every descriptor is non-blocking and is closed in
/// child processes.
enum Socket {
  /// The result of a call that transfers bytes.
  enum Outcome {
    case moved(Int)
    case wouldBlock
    case ended
  }

  /// A system call that failed.
  struct Failure: Error {
    let code: Int32

    init(code: Int32 = errno) {
      self.code = code
    }

    var reason: String { String(cString: strerror(code)) }
  }

  /// Listens on 127.0.0.1.
  ///
  /// - Parameter port: The port, or 0 to let the system choose one.
  /// - Returns: The descriptor and the port.
  /// - Throws: The failure of the system call.
  static func listen(port: UInt16) throws(Failure) -> (descriptor: Int32, port: UInt16) {
    #if canImport(Darwin)
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | manner, 0)
    #endif
    guard descriptor >= 0 else { throw Failure() }
    #if canImport(Darwin)
    configure(descriptor)
    #endif
    set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && FreshetEssentials.listen(descriptor, 1024) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    guard isListening else {
      let failure = Failure()
      close(descriptor)
      throw failure
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  /// Accepts the next connection; returns `nil` if there is none or it cannot be accepted now.
  static func accept(_ listener: Int32, sendBufferBytes: Int?) throws(Failure) -> Int32? {
    #if canImport(Darwin)
    let descriptor = FreshetEssentials.accept(listener, nil, nil)
    #else
    let descriptor = accept4(listener, nil, nil, manner)
    #endif
    guard descriptor >= 0 else {
      switch errno {
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: throw Failure()
      default: return nil
      }
    }
    #if canImport(Darwin)
    configure(descriptor)
    set(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
    #endif
    set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    if let sendBufferBytes {
      set(descriptor, SOL_SOCKET, SO_SNDBUF, Int32(clamping: sendBufferBytes))
    }
    return descriptor
  }

  /// Makes a pipe whose ends do not block.
  static func pipe() throws(Failure) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    #if canImport(Darwin)
    let result = FreshetEssentials.pipe(&ends)
    #else
    let result = pipe2(&ends, O_CLOEXEC | O_NONBLOCK)
    #endif
    guard result == 0 else { throw Failure() }
    #if canImport(Darwin)
    for end in ends { configure(end) }
    #endif
    return (ends[0], ends[1])
  }

  static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
    while true {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 { return .moved(count) }
      if count == 0 { return .ended }
      if errno == EINTR { continue }
      return errno == EAGAIN ? .wouldBlock : .ended
    }
  }

  static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Outcome {
    #if canImport(Darwin)
    let flags: Int32 = 0
    #else
    let flags = Int32(MSG_NOSIGNAL)
    #endif
    while true {
      let count = FreshetEssentials.send(descriptor, bytes.baseAddress, bytes.count, flags)
      if count >= 0 { return .moved(count) }
      if errno == EINTR { continue }
      return errno == EAGAIN ? .wouldBlock : .ended
    }
  }

  /// Shuts down the sending direction; reading is still possible.
  static func finishSending(_ descriptor: Int32) {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Makes the next `close` reset the connection.
  static func resetOnClose(_ descriptor: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    _ = setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_LINGER,
      &option,
      socklen_t(MemoryLayout<linger>.size)
    )
  }

  static func close(_ descriptor: Int32) {
    _ = FreshetEssentials.close(descriptor)
  }

  #if canImport(Darwin)
  private static func configure(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }
  #else
  /// The flags of new sockets.
  private static let manner = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
  #endif

  private static func set(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    _ = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}
