#if os(Linux)
import CCurl
import CLinux
import Glibc

/// The event loop: it lives on its own thread and is the only one to touch libcurl.
///
/// Each turn runs what is due, tells the readers together, and then takes commands or waits. All that
/// it cannot do without is there before its thread begins.
final class CurlLoop {
  let configuration: CurlTransport.Configuration
  let mailbox: CurlMailbox
  /// The addresses that are not asked for, for every handle.
  let addresses: UnsafeMutablePointer<curl_slist>?
  let pins: PinnedHosts
  let multi: UnsafeMutableRawPointer
  let poll: Int32
  /// The time of this turn in nanoseconds.
  private(set) var now: UInt64 = CurlLoop.clock()

  var sockets: [CurlSocket] = []
  /// Connections on which something has come of which it is not known whether somebody reads it.
  var suspects: Set<Int32> = []
  /// The connections whose ends are known, and those of which they have not been asked.
  var connections: [CurlConnectionKey: Int32] = [:]
  var unnamed: [Int32] = []
  var lanes = CurlLanes()
  /// When libcurl wants to be called.
  var timer: UInt64?
  /// No transfer's deadline is earlier.
  var nextDeadline = UInt64.max

  var active: [Int: CurlHandle] = [:]
  var pool: [CurlHandle] = []
  /// Transfers whose bodies wait to be decoded.
  var decoding = Queue<Int>()
  /// How much may still be decoded in this turn.
  var decodingWork = 0
  private var wakes: [CurlExchange] = []
  private var isStopped = false

  init(
    _ configuration: CurlTransport.Configuration,
    _ mailbox: CurlMailbox
  ) throws(CurlFault) {
    poll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard poll >= 0 else { throw CurlFault("no event descriptor") }
    guard Self.isInitialised, let multi = curl_multi_init() else {
      close(poll)
      throw CurlFault("no loop", code: ENOMEM)
    }
    self.multi = multi
    self.configuration = configuration
    self.mailbox = mailbox
    pins = PinnedHosts(configuration.pins)
    addresses = configuration.addresses.reduce(nil) { list, address in
      curl_slist_append(list, "\(address.key):\(address.value)") ?? list
    }
    setMulti()
    guard waitForMailbox() else { throw CurlFault("no event") }
  }

  deinit {
    releaseHandles()
    curl_multi_cleanup(multi)
    curl_slist_free_all(addresses)
    close(poll)
  }

  /// Lets the handles go while nothing is changed: connections that they close look for their own.
  private func releaseHandles() {
    let handles = (active, pool)
    (active, pool) = ([:], [])
    withExtendedLifetime(handles) {}
  }

  func run() {
    var commands: [CurlMailbox.Command] = []
    while !isStopped {
      decodingWork = Self.decodingShare
      fireTimer()
      expire()
      decodeMore()
      settle()
      if mailbox.take(into: &commands) {
        wait()
      } else {
        now = Self.clock()
        for command in commands { perform(command) }
        commands.removeAll(keepingCapacity: true)
      }
    }
  }

  /// Remembers an exchange whose reader is woken at the end of the turn.
  func wake(_ exchange: CurlExchange) {
    wakes.append(exchange)
  }

  /// After how many events readers are woken although there are more.
  private static let group = 16
  private static let isInitialised = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  private static func clock() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

// MARK: - Turn

extension CurlLoop {
  private func perform(_ command: CurlMailbox.Command) {
    switch command {
    case .start(let exchange): start(exchange)
    case .cancel(let id): cancel(id)
    case .resume(let id): resumeReceiving(id)
    case .resumeUpload(let id): resumeSending(id)
    case .stop: isStopped = true
    }
  }

  private func fireTimer() {
    // Work that is due at once begets more of the kind; other transfers get their turn too.
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
    for exchange in wakes { exchange.wake() }
    wakes.removeAll(keepingCapacity: true)
  }

  private func wait() {
    let count = withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
      let count = epoll_wait(poll, events.baseAddress, 256, patience())
      mailbox.awaken()
      now = Self.clock()
      for (index, event) in events.prefix(Int(max(count, 0))).enumerated() {
        dispatch(event)
        // Readers go on while the rest is received.
        if (index + 1).isMultiple(of: Self.group) { settle() }
      }
      return count
    }
    // Nothing is ever ready on a broken descriptor.
    if count < 0, errno != EINTR { isStopped = true }
  }

  /// How long to wait, in milliseconds.
  private func patience() -> Int32 {
    guard decoding.isEmpty else { return 0 }
    let due = min(timer ?? .max, nextDeadline)
    guard due != .max else { return -1 }
    guard due > now else { return 0 }
    return Int32(min((due - now + 999_999) / 1_000_000, 3_600_000))
  }
}
#endif
