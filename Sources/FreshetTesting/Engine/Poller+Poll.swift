#if canImport(Darwin)
import Darwin

/// Waits for many descriptors at once; it belongs to one thread.
final class Poller {
  private var descriptors: [pollfd] = []
  private var ids: [Int] = []
  private var places: [Int32: Int] = [:]

  /// Opens nothing: this poller needs no descriptor.
  static func open() throws(Socket.Failure) -> Int32 { -1 }

  init(_ descriptor: Int32) {}

  func close() {}

  func add(_ target: Int32, id: Int, _ interest: Interest) {
    places[target] = descriptors.count
    descriptors.append(pollfd(fd: target, events: Self.events(interest), revents: 0))
    ids.append(id)
  }

  func change(_ target: Int32, id: Int, _ interest: Interest) {
    guard let place = places[target] else { return }
    descriptors[place].events = Self.events(interest)
  }

  func remove(_ target: Int32) {
    guard let place = places.removeValue(forKey: target) else { return }
    let last = descriptors.count - 1
    descriptors.swapAt(place, last)
    ids.swapAt(place, last)
    descriptors.removeLast()
    ids.removeLast()
    if place < last { places[descriptors[place].fd] = place }
  }

  /// Waits until a descriptor is ready, at most this number of milliseconds; a negative number sets
  /// no limit.
  func wait(milliseconds: Int32) -> [(id: Int, interest: Interest)] {
    guard poll(&descriptors, nfds_t(descriptors.count), milliseconds) > 0 else { return [] }
    return zip(ids, descriptors)
      .filter { $0.1.revents != 0 }
      .map { id, descriptor in (id, Self.interest(Int32(descriptor.revents))) }
  }

  private static func events(_ interest: Interest) -> Int16 {
    var events: Int32 = 0
    if interest.contains(.reading) { events |= Int32(POLLIN) }
    if interest.contains(.writing) { events |= Int32(POLLOUT) }
    return Int16(events)
  }

  private static func interest(_ events: Int32) -> Interest {
    var interest: Interest = []
    if events & Int32(POLLIN) != 0 { interest.insert(.reading) }
    if events & Int32(POLLOUT) != 0 { interest.insert(.writing) }
    // Darwin reports a half-closed connection as hung up while it can still be read.
    if events & Int32(POLLERR | POLLNVAL) != 0 || events & Int32(POLLHUP | POLLIN) == POLLHUP {
      interest.insert(.hangUp)
    }
    return interest
  }
}
#endif
