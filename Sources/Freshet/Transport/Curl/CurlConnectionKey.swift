#if !canImport(Darwin)
import Glibc

/// A connection, identified by its two addresses and ports.
///
/// libcurl reports them when it chooses a connection, and the system for each descriptor.
struct CurlConnectionKey: Hashable {
  private let number: Int

  /// Creates a key from addresses in text form.
  init(
    remote: UnsafePointer<CChar>,
    _ remotePort: Int32,
    local: UnsafePointer<CChar>,
    _ localPort: Int32
  ) {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(start: remote, count: strlen(remote)))
    hasher.combine(remotePort)
    hasher.combine(bytes: UnsafeRawBufferPointer(start: local, count: strlen(local)))
    hasher.combine(localPort)
    number = hasher.finalize()
  }

  /// Creates the key of a socket; `nil` if it is not connected.
  init?(_ descriptor: Int32) {
    let key = Self.end(of: descriptor, getpeername) { remote, remotePort in
      Self.end(of: descriptor, getsockname) { local, localPort in
        CurlConnectionKey(remote: remote, remotePort, local: local, localPort)
      }
    }
    guard let key = key.flatMap({ $0 }) else { return nil }
    self = key
  }

  private typealias Asking =
    (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32

  /// Calls a closure with the address and the port of one end.
  private static func end<Value>(
    of descriptor: Int32,
    _ ask: Asking,
    _ body: (UnsafePointer<CChar>, Int32) -> Value
  ) -> Value? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { storage in
      let isKnown = storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        ask(descriptor, $0, &size) == 0
      }
      guard isKnown else { return nil }
      return withUnsafeTemporaryAllocation(
        of: CChar.self,
        capacity: Int(INET6_ADDRSTRLEN)
      ) { text -> Value? in
        guard let start = text.baseAddress else { return nil }
        guard let port = port(of: UnsafeMutableRawPointer(storage), into: text) else { return nil }
        return body(start, Int32(port))
      }
    }
  }

  private static func port(
    of storage: UnsafeMutableRawPointer,
    into text: UnsafeMutableBufferPointer<CChar>
  ) -> UInt16? {
    let size = socklen_t(text.count)
    switch Int32(storage.load(as: sockaddr.self).sa_family) {
    case AF_INET:
      var address = storage.load(as: sockaddr_in.self)
      guard inet_ntop(AF_INET, &address.sin_addr, text.baseAddress, size) != nil else { return nil }
      return UInt16(bigEndian: address.sin_port)
    case AF_INET6:
      var address = storage.load(as: sockaddr_in6.self)
      guard inet_ntop(AF_INET6, &address.sin6_addr, text.baseAddress, size) != nil else {
        return nil
      }
      return UInt16(bigEndian: address.sin6_port)
    default: return nil
    }
  }
}
#endif
