#if !canImport(Darwin)
import CCurl
import CLinux
import Glibc

/// The event loop, which is the only user of libcurl.
///
/// Each turn handles due timers, wakes the readers together, and then takes commands or waits. One
/// thread at a time uses it, see ``CurlRunner``. All system resources that it needs are allocated before
/// its thread starts.
final class CurlLoop {
  let configuration: CurlTransport.Configuration
  let mailbox: CurlMailbox
  /// The configured addresses, which replace name lookups, for all handles.
  let addresses: UnsafeMutablePointer<curl_slist>?
  let pins: PinnedHosts
  let identities: HostTable<CurlTransport.Identity>
  /// A Boolean value that indicates whether requests may go through proxies, of which none is one of SOCKS.
  let makesTunnels: Bool
  let multi: UnsafeMutableRawPointer
  let poll: Int32
  /// The number of bytes that are read from a socket at once: no more than a reader's window, because libcurl
  /// keeps what does not fit into that.
  let readSize: Int
  /// The time of this turn, in nanoseconds.
  private(set) var now: UInt64 = CurlLoop.clock()
  /// The time at which the events of this turn had arrived.
  private(set) var eventTime: UInt64 = 0

  @exclusivity(unchecked) var sockets: [CurlSocket] = []
  /// The connections with unsolicited bytes of which it is unknown whether a transfer reads them.
  var suspects: Set<Int32> = []
  /// The transfers with a body to send of which libcurl may have read the end.
  var stopped: Set<Int> = []
  /// The transfers that libcurl may have read further than it has delivered.
  var unread: Set<Int> = []
  /// The connections whose addresses are known, and those whose addresses were not queried yet.
  var connections: [CurlConnectionKey: Int32] = [:]
  var unnamed: [Int32] = []
  var lanes = CurlLanes()
  /// The hosts to which the last connection has failed, whose names are looked up again.
  var unreachable: Set<HostKey> = []
  /// The transfers that libcurl has got in this turn, and those that had to wait for a connection.
  var unbegun: [Int] = []
  var waiters = CurlWaiters()
  /// The number of times that libcurl has read bytes from the body of a request.
  var bodyReads = 0
  /// The sockets that are not written to for a moment, and the time at which they are again.
  var resting: Set<Int32> = []
  var restEnd = UInt64.max
  /// The time at which libcurl wants to be called.
  var timer: UInt64?
  /// A lower bound of all transfers' deadlines.
  var nextDeadline = UInt64.max

  var active: [Int: CurlHandle] = [:]
  var pool: [CurlHandle] = []
  /// The transfers whose bodies wait to be decoded.
  var decoding = Queue<Int>()
  /// The number of bytes that may still be decoded in this turn.
  var decodingWork = 0
  private var wakes: [CurlExchange] = []
  private var commands: [CurlMailbox.Command] = []
  /// The number of batches of commands since the sockets were polled.
  private var batches = 0
  /// The time until which the loop's thread waits for events.
  private var waitEnd = UInt64.max
  private var isStopped = false
  /// A Boolean value that indicates whether the loop takes no new exchanges, and keeps no connections for them.
  private(set) var isRetired = false
  /// Called when the loop is gone.
  private(set) var endObservers: [@Sendable () -> Void] = []

  init(
    _ configuration: CurlTransport.Configuration,
    _ mailbox: CurlMailbox
  ) throws(CurlFault) {
    poll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard poll >= 0 else { throw CurlFault("epoll_create1 failed") }
    guard Self.isInitialised, let multi = curl_multi_init() else {
      close(poll)
      throw CurlFault("libcurl could not be started", code: ENOMEM)
    }
    self.multi = multi
    self.configuration = configuration
    readSize = min(CurlHandle.bufferSize, configuration.usedWindow)
    self.mailbox = mailbox
    pins = PinnedHosts(configuration.pins)
    identities = HostTable(configuration.identities)
    makesTunnels = configuration.makesTunnels()
    addresses = configuration.addresses.reduce(nil) { list, address in
      curl_slist_append(list, "\(address.key):\(address.value)") ?? list
    }
    setMulti()
    guard waitForMailbox() else { throw CurlFault("epoll_ctl failed") }
  }

  deinit {
    releaseHandles()
    curl_multi_cleanup(multi)
    curl_slist_free_all(addresses)
    close(poll)
  }

  /// Releases the handles from copies: closing their connections accesses the collections.
  private func releaseHandles() {
    let handles = (active, pool)
    (active, pool) = ([:], [])
    withExtendedLifetime(handles) {}
  }

  /// Queues an exchange, whose reader is woken at the end of the turn.
  func wake(_ exchange: CurlExchange) {
    wakes.append(exchange)
  }

  /// The number of events after which readers are woken before the remaining events.
  private static let group = 16
  /// The number of batches of commands after which the sockets are looked at.
  private static let batchLimit = 16
  private static let isInitialised = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  private static func clock() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

// MARK: - Turn

extension CurlLoop {
  /// Dispatches events, and performs all that is due.
  ///
  /// - Parameters:
  ///   - events: The events that have arrived.
  ///   - isBroken: A Boolean value that indicates whether no event can arrive any more.
  /// - Returns: The longest time to wait for further events, in milliseconds, -1 without a limit; `nil` at the
  ///   end of the loop.
  func turn(_ events: [CurlEvent], isBroken: Bool) -> Int32? {
    mailbox.awaken()
    now = Self.clock()
    eventTime = now
    for (index, event) in events.enumerated() {
      dispatch(event)
      // Readers can continue while the rest is received.
      if (index + 1).isMultiple(of: Self.group) { settle() }
    }
    if isBroken {
      giveUp()
      return nil
    }
    return advance()
  }

  private func advance() -> Int32? {
    while !isStopped {
      decodingWork = Self.decodingShare
      fireTimer()
      expire()
      endRests()
      decodeMore()
      settle()
      if isRetired, active.isEmpty { return nil }
      if mailbox.take(into: &commands, isIdle: active.isEmpty) {
        // Jobs may have taken long.
        if batches > 0 { now = Self.clock() }
        batches = 0
        // A wait ends no later than the last one would have, because the next exchange has similar timers:
        // one that begins meanwhile need not wake the thread for them.
        waitEnd = min(due, waitEnd > now ? waitEnd : .max)
        return patience()
      }
      now = Self.clock()
      for command in commands { perform(command) }
      commands.removeAll(keepingCapacity: true)
      batches += 1
      // Jobs may enqueue further ones without end; the sockets get their turn.
      if batches.isMultiple(of: Self.batchLimit) { return 0 }
    }
    return nil
  }

  /// Begins the only pending exchange while the thread of the loop waits for events.
  ///
  /// - Returns: A Boolean value that indicates whether that thread may continue to wait.
  func beginInPlace() -> Bool {
    guard active.isEmpty, let exchange = mailbox.takeOnlyStart() else { return false }
    now = Self.clock()
    start(exchange)
    fireTimer()
    settle()
    return decoding.isEmpty && due >= waitEnd && mailbox.remainAsleep(isIdle: active.isEmpty)
  }

  private func perform(_ command: CurlMailbox.Command) {
    switch command {
    case .start(let exchange): start(exchange)
    case .cancel(let id): cancel(id)
    case .resume(let id): resumeReceiving(id)
    case .resumeUpload(let id): resumeSending(id)
    case .run(let job, let executor): job.runSynchronously(on: executor)
    case .retire(let observer):
      isRetired = true
      guard !active.isEmpty else { return endObservers.append(observer) }
      closeIdleConnections()
      observer()
    case .stop: isStopped = true
    }
  }

  /// Ends all transfers with an error, and performs the last commands, after the loop has failed.
  private func giveUp() {
    for command in mailbox.end() { perform(command) }
    for handle in Array(active.values) {
      guard let exchange = handle.exchange else { continue }
      finish(handle, exchange, .failure(exchange.failureOfLoop))
    }
    settle()
  }

  private func fireTimer() {
    // Immediate timers may set further ones; after eight, other transfers get their turn.
    for _ in 0..<8 {
      guard let due = timer, due <= now else { return }
      timer = nil
      act(on: CURL_SOCKET_TIMEOUT, 0)
    }
  }

  private func settle() {
    settleSuspects()
    var rest: Int32 = 0
    while let message = curl_multi_info_read(multi, &rest) {
      guard message.pointee.msg == CURLMSG_DONE else { continue }
      complete(message.pointee.easy_handle, message.pointee.data.result)
    }
    settleStopped()
    settleUnread()
    settleWaiters()
    for exchange in wakes { exchange.wake() }
    wakes.removeAll(keepingCapacity: true)
  }

  /// The time of the next turn, if nothing happens before.
  private var due: UInt64 { min(timer ?? .max, nextDeadline, restEnd) }

  /// Returns the time to wait, in milliseconds; -1 without a limit.
  private func patience() -> Int32 {
    guard decoding.isEmpty else { return 0 }
    guard waitEnd != .max else { return -1 }
    guard waitEnd > now else { return 0 }
    return Int32(min((waitEnd - now + 999_999) / 1_000_000, 3_600_000))
  }
}
#endif
