#if !canImport(Darwin)
import CLinux
import FreshetEssentials

/// Watches the interfaces of a Linux device by a netlink socket (rtnetlink(7)), on a thread of its own.
enum ConnectivityMonitor {
  /// Sets the state, and keeps it up to date until the process ends.
  static func start(_ connectivity: Connectivity) {
    let socket = freshet_open_link_monitor()
    guard socket >= 0 else { return }
    // It was opened before, so that no change is missed in between.
    connectivity.update(current)
    do {
      try DetachedThread.start(name: "freshet-network") { watch(socket, connectivity) }
    } catch {
      close(socket)
      connectivity.update(.online)
    }
  }

  private static func watch(_ socket: Int32, _ connectivity: Connectivity) {
    let size = 1 << 14
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = recv(socket, buffer.baseAddress, size, 0)
      // What a full socket has lost (`ENOBUFS`) does not matter: the interfaces are looked at again.
      guard count > 0 || errno == EINTR || errno == ENOBUFS else {
        close(socket)
        return connectivity.update(.online)
      }
      connectivity.update(current)
    }
  }

  /// The state that the interfaces have now; online if they cannot be read.
  static var current: Connectivity.State {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return .online }
    defer { freeifaddrs(first) }
    for entry in sequence(first: first, next: { $0?.pointee.ifa_next }) {
      guard let entry else { break }
      if reachesOthers(entry.pointee) { return .online }
    }
    return .offline
  }

  private static func reachesOthers(_ interface: ifaddrs) -> Bool {
    let needed = UInt32(IFF_UP | IFF_RUNNING)
    let flags = interface.ifa_flags
    guard flags & needed == needed, flags & UInt32(IFF_LOOPBACK) == 0,
      let address = interface.ifa_addr
    else { return false }
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
        // 169.254.0.0/16 (RFC 3927)
        UInt32(bigEndian: address.pointee.sin_addr.s_addr) >> 16 != 0xA9FE
      }
    case AF_INET6:
      return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
        // fe80::/10 (RFC 4291 section 2.5.6)
        withUnsafeBytes(of: address.pointee.sin6_addr) { $0[0] != 0xFE || $0[1] & 0xC0 != 0x80 }
      }
    default:
      return false
    }
  }
}
#endif
