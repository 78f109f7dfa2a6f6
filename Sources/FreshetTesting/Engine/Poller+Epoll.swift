#if !canImport(Darwin)
import CLinux
import Glibc

/// Waits for many descriptors at once; it belongs to one thread.
final class Poller {
  private let descriptor: Int32
  private var events = [epoll_event](repeating: epoll_event(), count: 256)

  /// Opens the system's object for a poller, on any thread.
  static func open() throws(Socket.Failure) -> Int32 {
    let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw Socket.Failure() }
    return descriptor
  }

  /// Takes over the descriptor that `open` returned.
  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  func close() {
    Socket.close(descriptor)
  }

  func add(_ target: Int32, id: Int, _ interest: Interest) {
    control(EPOLL_CTL_ADD, target, id, interest)
  }

  func change(_ target: Int32, id: Int, _ interest: Interest) {
    control(EPOLL_CTL_MOD, target, id, interest)
  }

  func remove(_ target: Int32) {
    control(EPOLL_CTL_DEL, target, 0, [])
  }

  /// Waits until a descriptor is ready, at most this number of milliseconds; a negative number sets
  /// no limit.
  func wait(milliseconds: Int32) -> [(id: Int, interest: Interest)] {
    let count = epoll_wait(descriptor, &events, Int32(events.count), milliseconds)
    return events.prefix(Int(max(0, count)))
      .map { event in
        (Int(truncatingIfNeeded: event.data.u64), Self.interest(event.events))
      }
  }

  private func control(_ operation: Int32, _ target: Int32, _ id: Int, _ interest: Interest) {
    var event = epoll_event()
    event.data.u64 = UInt64(bitPattern: Int64(id))
    if interest.contains(.reading) { event.events |= EPOLLIN.rawValue }
    if interest.contains(.writing) { event.events |= EPOLLOUT.rawValue }
    _ = epoll_ctl(descriptor, operation, target, &event)
  }

  private static func interest(_ events: UInt32) -> Interest {
    var interest: Interest = []
    if events & EPOLLIN.rawValue != 0 { interest.insert(.reading) }
    if events & EPOLLOUT.rawValue != 0 { interest.insert(.writing) }
    if events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { interest.insert(.hangUp) }
    return interest
  }
}
#endif
