#if !canImport(Darwin)
import CCurl
import Glibc

extension CurlLoop {
  /// The time without a byte after which a connection with a pending request is suspected: 10 seconds.
  static let silence: UInt64 = 10_000_000_000

  /// Returns the descriptor of a connection that libcurl identifies by its addresses.
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

  /// Returns whether a kept connection can take a request.
  ///
  /// It cannot if it has been closed, if it is suspected, or if it has received unsolicited bytes,
  /// which would be taken for the response. On a connection with HTTP/2, frames may arrive at any time.
  ///
  /// It cannot either if it takes no bytes: libcurl would count a head that is sent later as not sent, and repeat a
  /// request that was carried out. With HTTP/2, libcurl 7.88 would send the head a second time, as the beginning
  /// of the request's body, unless those of another body wait to be sent.
  func canTakeRequest(_ descriptor: Int32) -> Bool {
    guard !lanes.isDoubted(descriptor) else { return false }
    let isSerial = sockets[Int(descriptor)].isSerial
    let events = Int16(isSerial ? POLLIN | POLLOUT : POLLOUT)
    var source = pollfd(fd: descriptor, events: events, revents: 0)
    let count = Glibc.poll(&source, 1, 0)
    if isSerial { return count == 1 && source.revents == Int16(POLLOUT) }
    return count != 0 || users(of: descriptor).contains(where: \.isSending)
  }

  /// Notes that a request is sent over a connection.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor of the connection.
  ///   - isKept: A Boolean value that indicates whether the connection existed before. With HTTP/1.1,
  ///     such a connection has already answered a request.
  func noteRequest(on descriptor: Int32, isKept: Bool) {
    if isKept, !sockets[Int(descriptor)].isSerial { sockets[Int(descriptor)].isShared = true }
    if sockets[Int(descriptor)].unansweredSince == nil {
      sockets[Int(descriptor)].unansweredSince = now
    }
  }

  /// Notes that the connection of a request may have room for others that wait for one.
  func noteRoom(_ handle: CurlHandle, isNew: Bool = false) {
    guard !waiters.isEmpty || !unbegun.isEmpty, let exchange = handle.exchange else { return }
    let users = handle.connection.map { sockets[Int($0)].users } ?? []
    let isUnused = users.allSatisfy { $0 == exchange.id }
    waiters.noteRoom(at: exchange.request.host, isNew: isNew, isUnused: isUnused)
  }

  /// Has libcurl try waiting requests again where there is room.
  func settleWaiters() {
    for id in unbegun {
      guard let handle = active[id], handle.isWaiting, let exchange = handle.exchange else {
        continue
      }
      waiters.add(id, exchange.request.host)
    }
    unbegun.removeAll(keepingCapacity: true)
    for id in waiters.next(isWaiting: { active[$0]?.isWaiting == true }) {
      guard let handle = active[id] else { continue }
      curl_multi_remove_handle(multi, handle.easy)
      curl_multi_add_handle(multi, handle.easy)
    }
  }

  /// Notes that a head was received over a connection.
  func noteAnswer(on descriptor: Int32, isSerial: Bool) {
    sockets[Int(descriptor)].unansweredSince = nil
    sockets[Int(descriptor)].isSerial = isSerial
    sockets[Int(descriptor)].isShared = !isSerial
    guard lanes.isDoubted(descriptor), lanes.trust(descriptor) else { return }
    for handle in users(of: descriptor) where handle.connection == descriptor {
      handle.forbidReuse(false)
    }
  }

  /// Returns the time since when none of a connection's requests was answered, in nanoseconds.
  func unanswered(on descriptor: Int32) -> UInt64 {
    sockets[Int(descriptor)].unansweredSince.map { now - min($0, now) } ?? 0
  }

  /// Assigns a handle to the lane for a new request, with a new connection if `isFresh` is set.
  func place(_ handle: CurlHandle, _ exchange: CurlExchange, isFresh: Bool = false) {
    guard !lanes.isIdle else {
      handle.setLane(0)
      handle.setFresh(isFresh)
      return
    }
    let lane = lanes.lane(of: exchange.request.host)
    // In another lane the request needs a new connection; others can share it.
    handle.setFresh(lane.map { isFresh && $0 == handle.lane } ?? true)
    handle.setLane(lane ?? 0)
  }

  /// Hands a request to libcurl.
  func add(_ handle: CurlHandle, _ exchange: CurlExchange) {
    curl_multi_add_handle(multi, handle.easy)
    unbegun.append(exchange.id)
    watch(handle)
  }

  /// Removes a handle from libcurl.
  ///
  /// - Parameters:
  ///   - handle: The handle.
  ///   - doubts: A Boolean value that indicates whether the connection may be broken: it is closed
  ///     then, or gets no more requests if others still use it.
  func remove(_ handle: CurlHandle, doubts: Bool) {
    if doubts { handle.forbidReuse(true) }
    curl_multi_remove_handle(multi, handle.easy)
    // If libcurl has closed it, the connection is `nil` by now.
    if doubts, let descriptor = handle.connection { doubt(descriptor, handle) }
    handle.connection = nil
    handle.descriptor = nil
    handle.hasSocket = false
    handle.forbidReuse(false)
  }

  /// Has the connection of a response that is not read to its end closed, unless others use it.
  ///
  /// libcurl 7.88 keeps the RST\_STREAM of HTTP/2 until it sends something else over the connection. Without
  /// that, the server would go on sending to nobody. The connection is worth more than a short rest.
  func closeBehind(_ handle: CurlHandle) {
    guard let connection = handle.connection, handle.deadlines.hasHead,
      sockets[Int(connection)].isShared, !handle.hasShortRest,
      users(of: connection).allSatisfy({ $0 === handle })
    else { return }
    handle.forbidReuse(true)
  }

  /// Ends the idle connections of a loop that takes no new exchanges; those in use are closed behind their
  /// last one.
  ///
  /// libcurl cannot be told to close an idle connection. It closes one that has been shut down when a request
  /// would take it, or with the loop, and keeps its descriptor until then.
  func closeIdleConnections() {
    for handle in active.values { handle.forbidReuse(true) }
    for (index, socket) in sockets.enumerated()
    where socket.isConnection && !socket.isWanted && socket.users.isEmpty {
      let descriptor = Int32(index)
      if case .none = reader(of: descriptor) { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  /// Sends a request again over another connection, with new timeouts except for the total one.
  func beginAnew(_ handle: CurlHandle, _ exchange: CurlExchange, doubts: Bool) {
    remove(handle, doubts: doubts)
    place(handle, exchange, isFresh: true)
    handle.separateIfNeeded()
    handle.deadlines.beginAnew(at: now)
    add(handle, exchange)
  }

  /// Notes that a request has timed out waiting for a connection, for which others may be waiting too.
  func noteLateConnection(of handle: CurlHandle, _ exchange: CurlExchange) {
    noteUnreachable(exchange.request.host)
    guard handle.lastManner?.isShareable == true else { return }
    let host = exchange.request.host
    let others = active.values.filter { other in
      other !== handle && other.lane == handle.lane
        && other.exchange?.request.host == host
    }
    // If there are connections, requests wait because of the connection limit.
    guard !others.isEmpty, others.allSatisfy({ $0.connection == nil }) else { return }
    lanes.leave(CurlLanes.Lane(host: host, number: handle.lane))
  }

  /// Notes a host that may have moved to another address.
  func noteUnreachable(_ host: HostKey) {
    // libcurl looks up those that are forgotten here after a minute.
    if unreachable.count >= 1_024 { unreachable = [] }
    unreachable.insert(host)
  }

  /// Suspects the connection of a silent request, see ``CurlHandle/silenceDue``.
  func noteSilence(of handle: CurlHandle) {
    guard let descriptor = handle.connection else { return }
    handle.state.isSilenceNoted = true
    doubt(descriptor, handle)
  }

  private func doubt(_ descriptor: Int32, _ handle: CurlHandle) {
    guard let exchange = handle.exchange else { return }
    let host = exchange.request.host
    lanes.doubt(descriptor, CurlLanes.Lane(host: host, number: handle.lane))
    for other in users(of: descriptor) where other.connection == descriptor {
      other.forbidReuse(true)
    }
  }
}
#endif
