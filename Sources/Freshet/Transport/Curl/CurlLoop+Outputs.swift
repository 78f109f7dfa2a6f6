#if !canImport(Darwin)
import CCurl
import CLinux

/// The sockets that can be written to while libcurl has nothing to write.
///
/// libcurl 7.88 waits to write as long as a request has a body to send. On a connection with HTTP/2 whose window
/// is used up the socket is writable all the time, and the loop would never rest.
extension CurlLoop {
  /// The number of events in a row to write, without a byte read from a body, before a socket rests.
  private static let idleLimit = 32
  /// The longest rest: 20 milliseconds.
  private static let rest: UInt64 = 20_000_000

  /// Runs what waits to write to a socket, which rests if that comes to nothing again and again.
  func write(to descriptor: Int32) {
    let before = bodyReads
    act(on: descriptor, CURL_CSELECT_OUT)
    guard bodyReads == before else {
      sockets[Int(descriptor)].idleWrites = 0
      return
    }
    let count = min(sockets[Int(descriptor)].idleWrites + 1, Self.idleLimit)
    sockets[Int(descriptor)].idleWrites = count
    let wanted = sockets[Int(descriptor)].wanted
    guard count == Self.idleLimit, wanted & EPOLLOUT.rawValue != 0 else { return }
    // It stays registered, so that the end of the rest needs no memory of the system.
    set(descriptor, wanted & ~EPOLLOUT.rawValue | EPOLLHUP.rawValue)
    resting.insert(descriptor)
    restEnd = min(restEnd, now + Self.rest)
  }

  /// Ends the rest of a socket, because something has arrived on it or is to be written.
  func endRest(of descriptor: Int32) {
    guard sockets[Int(descriptor)].idleWrites > 0 else { return }
    // The server may have opened its window: what libcurl has kept is written without a read of the body.
    sockets[Int(descriptor)].idleWrites = 0
    guard resting.remove(descriptor) != nil else { return }
    set(descriptor, sockets[Int(descriptor)].wanted)
  }

  /// Ends all rests once their time is over.
  func endRests() {
    guard now >= restEnd else { return }
    restEnd = .max
    for descriptor in resting { set(descriptor, sockets[Int(descriptor)].wanted) }
    resting.removeAll()
  }
}
#endif
