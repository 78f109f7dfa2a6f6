#if !canImport(Darwin)
import CCurl
import CLinux
import Glibc

/// The state of a descriptor.
struct CurlSocket {
  /// The events that it is registered for.
  var registered: UInt32 = 0
  /// A Boolean value that indicates whether it is a connection; libcurl reports when it closes one.
  var isConnection = false
  /// The events that libcurl waits for.
  var wanted: UInt32 = 0
  /// The number of events in a row to write, without a byte read from a body.
  var idleWrites = 0
  /// The addresses of a connection, if they are known.
  var key: CurlConnectionKey?
  /// A Boolean value that indicates whether a connection takes one request after another, as HTTP/1.1 does.
  var isSerial = false
  /// A Boolean value that indicates whether several requests may share a connection, as with HTTP/2.
  var isShared = false
  /// The time since when no request of a connection was answered, in nanoseconds of the loop's clock.
  var unansweredSince: UInt64?
  /// The time at which a response has last received bytes from a connection.
  var lastReceived: UInt64 = 0
  /// The exchanges whose handles refer to it, each as often as its handle does.
  var users: [Int] = []

  /// A Boolean value that indicates whether libcurl waits for events.
  var isWanted: Bool { wanted != 0 }
}

extension CurlLoop {
  func setMulti() {
    let me = Unmanaged.passUnretained(self).toOpaque()
    freshet_multi_set_socket_callback(multi) { easy, descriptor, what, context, _ in
      CurlLoop.from(context)?.watch(descriptor, what, for: easy)
      return 0
    }
    freshet_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, me)
    freshet_multi_set_timer_callback(multi) { _, milliseconds, context in
      CurlLoop.from(context)?.setTimer(milliseconds)
      return 0
    }
    freshet_multi_set_pointer(multi, CURLMOPT_TIMERDATA, me)
    let perHost = configuration.maximumConnectionsPerHost
    freshet_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, max(1, perHost))
    let total = max(1, configuration.maximumConnections / configuration.loopCount)
    freshet_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, total)
    freshet_multi_set_long(multi, CURLMOPT_MAXCONNECTS, total)
  }

  /// Sets the callbacks for opening and closing connections.
  ///
  /// Closing refers to the loop, because a connection can outlive its handle.
  func setSocketCallbacks(of handle: CurlHandle) {
    let easy = handle.easy
    freshet_easy_set_open_callback(easy) { context, _, address in
      guard let handle = CurlHandle.from(context), let address, handle.allows(address) else {
        return CURL_SOCKET_BAD
      }
      let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
      let descriptor = socket(address.pointee.family, kind, address.pointee.protocol)
      guard descriptor >= 0 else {
        if [EMFILE, ENFILE].contains(errno) {
          let reason = CurlFault("socket failed").reason
          handle.noteMissingSocket { .connection(.other(reason), url: $0) }
        }
        return descriptor
      }
      // The ends of a Unix socket have no address by which it could be found.
      handle.loop.opened(descriptor, isNamed: address.pointee.family != AF_UNIX)
      return descriptor
    }
    freshet_easy_set_pointer(
      easy,
      CURLOPT_OPENSOCKETDATA,
      Unmanaged.passUnretained(handle).toOpaque()
    )
    let me = Unmanaged.passUnretained(self).toOpaque()
    freshet_easy_set_close_callback(easy) { context, descriptor in
      CurlLoop.from(context)?.forget(descriptor)
      return close(descriptor)
    }
    freshet_easy_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, me)
  }

  /// Registers the mailbox; edge-triggered, so that it need not be read.
  ///
  /// - Returns: A Boolean value that indicates whether the system supports that.
  func waitForMailbox() -> Bool {
    control(EPOLL_CTL_ADD, mailbox.descriptor, Self.input | EPOLLET.rawValue)
  }

  /// Handles an event.
  func dispatch(_ event: CurlEvent) {
    let descriptor = event.descriptor
    guard descriptor != mailbox.descriptor else { return }
    guard sockets[Int(descriptor)].isWanted else {
      // The server has closed an idle connection; the next request will notice.
      set(descriptor, 0)
      refuseUnasked(descriptor)
      return
    }
    var flags: Int32 = 0
    if event.flags & (Self.input | Self.hangup) != 0 { flags |= CURL_CSELECT_IN }
    if event.flags & Self.output != 0 { flags |= CURL_CSELECT_OUT }
    if event.flags & Self.fault != 0 { flags |= CURL_CSELECT_ERR }
    if flags == CURL_CSELECT_OUT { return write(to: descriptor) }
    act(on: descriptor, flags)
    endRest(of: descriptor)
  }

  /// Closes an idle connection on which unsolicited bytes have arrived.
  ///
  /// libcurl before 8.0 would take them for the response to the next request. TLS records and frames of
  /// HTTP/2, which may arrive at any time, are recognised by their first byte and left to TLS and HTTP/2.
  private func refuseUnasked(_ descriptor: Int32) {
    let socket = sockets[Int(descriptor)]
    guard socket.isConnection, !socket.isWanted else { return }
    switch reader(of: descriptor) {
    case .none: break
    case .waits: return
    case .unknown:
      suspects.insert(descriptor)
      return
    }
    withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { room in
      let flags = Int32(MSG_DONTWAIT)
      let count = recv(descriptor, room.baseAddress, 1, flags | Int32(MSG_PEEK))
      guard count == 1, !(0x14...0x17).contains(room[0]), !isFrame(room[0]) else { return }
      // Unread bytes make a connection look open; a server that continues to send gets a reset.
      for _ in 0..<64 where recv(descriptor, room.baseAddress, room.count, flags) <= 0 { break }
      shutdown(descriptor, Int32(SHUT_RDWR))
    }
  }

  /// Returns whether a byte may begin a frame of HTTP/2 without TLS: the highest of the frame's length, which
  /// is below 64 KiB.
  private func isFrame(_ byte: UInt8) -> Bool {
    byte == 0 && configuration.networkProtocol == .http2PriorKnowledge
  }

  /// Checks again the connections of which it was unknown whether a transfer reads from them.
  func settleSuspects() {
    guard !suspects.isEmpty else { return }
    let descriptors = suspects
    suspects.removeAll()
    for descriptor in descriptors { refuseUnasked(descriptor) }
  }

  enum Reader {
    case none
    case waits
    case unknown
  }

  /// Returns whether received bytes belong to a transfer that waits for its reader.
  ///
  /// libcurl does not report the socket of a transfer that is paused immediately, because all of its
  /// bytes were already there.
  func reader(of descriptor: Int32) -> Reader {
    var reader = Reader.none
    for handle in active.values where handle.isHeldBack && handle.state.ended == nil {
      if handle.descriptor == descriptor { return .waits }
      if handle.descriptor == nil { reader = .unknown }
    }
    return reader
  }

  func act(on descriptor: Int32, _ flags: Int32) {
    var running: Int32 = 0
    curl_multi_socket_action(multi, descriptor, flags, &running)
  }
}

extension CurlHandle {
  /// Returns whether the transport allows a connection to an address.
  fileprivate func allows(_ address: UnsafePointer<curl_sockaddr>) -> Bool {
    guard let allows = loop.configuration.allowsAddress,
      let server = ServerAddress(freshet_socket_address(address)), !allows(server)
    else { return true }
    let reason = "its host has the address \(server), which the transport does not allow"
    noteMissingSocket { .invalidRequest(reason, url: $0) }
    return false
  }

  fileprivate func noteMissingSocket(_ failure: (_ url: String) -> FreshetError) {
    state.missingSocket = exchange.map { failure($0.shownURL) }
  }
}

extension CurlLoop {
  private static let input = EPOLLIN.rawValue
  private static let output = EPOLLOUT.rawValue
  private static let hangup = EPOLLHUP.rawValue
  private static let fault = EPOLLERR.rawValue

  private static func from(_ context: UnsafeMutableRawPointer?) -> CurlLoop? {
    context.map { Unmanaged<CurlLoop>.fromOpaque($0).takeUnretainedValue() }
  }

  private func setTimer(_ milliseconds: Int) {
    timer = milliseconds < 0 ? nil : now + UInt64(milliseconds) * 1_000_000
  }

  private func opened(_ descriptor: Int32, isNamed: Bool) {
    forget(descriptor)
    sockets[Int(descriptor)] = CurlSocket(isConnection: true)
    if isNamed { unnamed.append(descriptor) }
  }

  private func forget(_ descriptor: Int32) {
    makeRoom(for: descriptor)
    for handle in users(of: descriptor) {
      if handle.descriptor == descriptor { handle.descriptor = nil }
      if handle.connection == descriptor { handle.connection = nil }
    }
    if let key = sockets[Int(descriptor)].key { connections[key] = nil }
    unnamed.removeAll { $0 == descriptor }
    lanes.forget(descriptor)
    sockets[Int(descriptor)] = CurlSocket()
    suspects.remove(descriptor)
    resting.remove(descriptor)
  }

  /// Returns the handles that refer to a socket.
  func users(of descriptor: Int32) -> [CurlHandle] {
    sockets[Int(descriptor)].users.compactMap { active[$0] }
  }

  /// Notes that a handle refers to another socket.
  func noteUse(by handle: CurlHandle, of new: Int32?, insteadOf old: Int32?) {
    guard new != old, let id = handle.exchange?.id else { return }
    if let old, let index = sockets[Int(old)].users.firstIndex(of: id) {
      sockets[Int(old)].users.remove(at: index)
    }
    if let new { sockets[Int(new)].users.append(id) }
  }

  /// Updates the registration lazily.
  ///
  /// A connection between two requests stays registered for reading, so that a request on a kept
  /// connection needs no system call here.
  private func watch(_ descriptor: Int32, _ what: Int32, for easy: UnsafeMutableRawPointer?) {
    makeRoom(for: descriptor)
    endRest(of: descriptor)
    sockets[Int(descriptor)].wanted = Self.events(what)
    if what != CURL_POLL_REMOVE, let handle = CurlHandle.of(easy) {
      handle.descriptor = descriptor
      handle.hasSocket = true
      handle.listenIfNeeded()
    } else if let handle = CurlHandle.of(easy) {
      noteStop(of: handle)
    }
    let socket = sockets[Int(descriptor)]
    if socket.isWanted {
      set(descriptor, socket.wanted)
    } else if socket.registered != 0 {
      // Other descriptors, those of name lookups, are closed without notice.
      set(descriptor, socket.isConnection ? Self.input : 0)
    }
  }

  private static func events(_ what: Int32) -> UInt32 {
    switch what {
    case CURL_POLL_IN: input
    case CURL_POLL_OUT: output
    case CURL_POLL_INOUT: input | output
    default: 0
    }
  }

  func set(_ descriptor: Int32, _ events: UInt32) {
    let before = sockets[Int(descriptor)].registered
    guard events != before else { return }
    let operation = before == 0 ? EPOLL_CTL_ADD : events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD
    let isSet = control(operation, descriptor, events)
    // What could not be added is tried again when libcurl waits for something else.
    sockets[Int(descriptor)].registered = isSet || before != 0 ? events : 0
  }

  private func control(_ operation: Int32, _ descriptor: Int32, _ events: UInt32) -> Bool {
    var event = epoll_event()
    event.events = events
    event.data.fd = descriptor
    return epoll_ctl(poll, operation, descriptor, &event) == 0
  }

  private func makeRoom(for descriptor: Int32) {
    let missing = Int(descriptor) + 1 - sockets.count
    guard missing > 0 else { return }
    sockets.append(contentsOf: repeatElement(CurlSocket(), count: max(missing, 64)))
  }
}
#endif
