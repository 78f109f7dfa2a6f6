#if os(Linux)
import CCurl
import Glibc

extension CurlLoop {
  /// After how long without a byte a connection is in doubt on which a response is waited for.
  static let silence: UInt64 = 10_000_000_000

  /// The descriptor of a connection that libcurl names by its ends.
  func connection(_ key: CurlConnectionKey) -> Int32? {
    if let descriptor = connections[key] { return descriptor }
    unnamed.removeAll { descriptor in
      guard let key = CurlConnectionKey(descriptor) else { return false }
      connections[key] = descriptor
      sockets[Int(descriptor)].key = key
      return true
    }
    return connections[key]
  }

  /// Whether a kept connection can take a request.
  ///
  /// It cannot if something has come that nobody has asked for, which would be taken for the answer,
  /// if it has ended, or if it is in doubt. On one with HTTP/2 frames may come at any time.
  func canTakeRequest(_ descriptor: Int32) -> Bool {
    guard !lanes.isDoubted(descriptor) else { return false }
    guard sockets[Int(descriptor)].isSerial else { return true }
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) < 0
      && (errno == EAGAIN || errno == EINTR)
  }

  /// Notes that a request is sent over a connection.
  ///
  /// - Parameters:
  ///   - descriptor: The connection's.
  ///   - isKept: Whether it was there before, which it would not be without an answer over HTTP/1.1.
  func noteRequest(on descriptor: Int32, isKept: Bool) {
    if isKept, !sockets[Int(descriptor)].isSerial { sockets[Int(descriptor)].isShared = true }
    if sockets[Int(descriptor)].unansweredSince == nil {
      sockets[Int(descriptor)].unansweredSince = now
    }
  }

  /// Notes that a head has come over a connection.
  func noteAnswer(on descriptor: Int32, isSerial: Bool) {
    sockets[Int(descriptor)].unansweredSince = nil
    sockets[Int(descriptor)].isSerial = isSerial
    sockets[Int(descriptor)].isShared = !isSerial
    guard lanes.hasDoubts, lanes.trust(descriptor) else { return }
    for handle in active.values where handle.connection == descriptor { handle.forbidReuse(false) }
  }

  /// How long a connection has answered none of its requests.
  func unanswered(on descriptor: Int32) -> UInt64 {
    sockets[Int(descriptor)].unansweredSince.map { now - min($0, now) } ?? 0
  }

  /// Puts a handle into the lane for a new request, of which it takes a new connection if told to.
  func place(_ handle: CurlHandle, _ exchange: CurlExchange, isFresh: Bool = false) {
    guard !lanes.isIdle else {
      handle.setLane(0)
      handle.setFresh(isFresh)
      return
    }
    let lane = lanes.lane(of: HostKey(exchange.request.url))
    // A lane that is new to the request has new connections, which are shared.
    handle.setFresh(lane.map { isFresh && $0 == handle.lane } ?? true)
    handle.setLane(lane ?? 0)
  }

  /// Takes a handle out of libcurl.
  ///
  /// - Parameters:
  ///   - handle: The handle.
  ///   - doubts: Whether it has waited in vain: then its connection is closed, or gets no more requests
  ///     if others still use it.
  func remove(_ handle: CurlHandle, doubts: Bool) {
    if doubts { handle.forbidReuse(true) }
    curl_multi_remove_handle(multi, handle.easy)
    // Closing it would have been heard of.
    if doubts, let descriptor = handle.connection { doubt(descriptor, handle) }
    handle.connection = nil
    handle.forbidReuse(false)
  }

  /// Sends a request again over another connection, as if for the first time.
  func beginAnew(_ handle: CurlHandle, _ exchange: CurlExchange) {
    place(handle, exchange, isFresh: true)
    handle.deadlines.beginAnew(at: now)
    curl_multi_add_handle(multi, handle.easy)
    watch(handle)
  }

  /// Notes that a request has waited in vain for a connection, as others may that want to share it.
  func noteLateConnection(of handle: CurlHandle, _ exchange: CurlExchange) {
    guard handle.lastManner?.isShareable == true else { return }
    let host = HostKey(exchange.request.url)
    let others = active.values.filter { other in
      other !== handle && other.lane == handle.lane
        && other.exchange.map { HostKey($0.request.url) } == host
    }
    // Where there are connections, it is for their number that requests wait.
    guard !others.isEmpty, others.allSatisfy({ $0.connection == nil }) else { return }
    lanes.leave(CurlLanes.Lane(host: host, number: handle.lane))
  }

  /// Doubts the connection of a request that has waited for long, unless others hear from it.
  func noteSilence(of handle: CurlHandle) {
    guard let descriptor = handle.connection else { return }
    handle.isSilenceNoted = true
    let isSilent = active.values.allSatisfy {
      $0.connection != descriptor || $0.deadlines.lastActivity + Self.silence <= now
    }
    if isSilent { doubt(descriptor, handle) }
  }

  private func doubt(_ descriptor: Int32, _ handle: CurlHandle) {
    guard let exchange = handle.exchange else { return }
    let host = HostKey(exchange.request.url)
    lanes.doubt(descriptor, CurlLanes.Lane(host: host, number: handle.lane))
    for other in active.values where other.connection == descriptor {
      other.forbidReuse(true)
    }
  }
}
#endif
