#if !canImport(Darwin)
import CCurl
import CLinux
import Foundation

/// Plain loops on libcurl, as a C program would have them: what they receive they throw away.
///
/// Each warms its connections up before the meter starts.
enum CurlLoops {
  struct Settings: Sendable {
    var version = CURL_HTTP_VERSION_1_1
    var certificate: String?
    /// Other transfers that go on beside the measured ones.
    var slow: URL?
    var slowCount = 0
  }

  /// One easy handle, one request after the other.
  static func easy(_ url: URL, _ count: Int, _ meter: Meter) throws {
    let easy = try handle(for: url, Settings())
    defer { curl_easy_cleanup(easy) }
    for index in 0...count {
      if index == 1 { meter.restart() }
      guard curl_easy_perform(easy) == CURLE_OK else { throw BenchError("curl_easy_perform") }
    }
    meter.stop()
  }

  /// Many handles in a loop around `curl_multi_poll`.
  static func poll(
    _ url: URL,
    _ count: Int,
    parallel: Int,
    _ meter: Meter,
    _ settings: Settings = Settings()
  ) throws {
    try Multi(url, count, parallel: parallel, settings, meter).runPolling()
  }

  /// Many handles in a loop around `epoll` and `curl_multi_socket_action`.
  static func action(
    _ url: URL,
    _ count: Int,
    parallel: Int,
    _ meter: Meter,
    _ settings: Settings = Settings()
  ) throws {
    try Multi(url, count, parallel: parallel, settings, meter).runEvents()
  }

  static func handle(for url: URL, _ settings: Settings) throws -> UnsafeMutableRawPointer {
    guard let easy = curl_easy_init() else { throw BenchError("curl_easy_init") }
    _ = url.absoluteString.withCString { freshet_easy_set_pointer(easy, CURLOPT_URL, $0) }
    freshet_easy_set_long(easy, CURLOPT_NOSIGNAL, 1)
    freshet_easy_set_long(easy, CURLOPT_HTTP_VERSION, settings.version)
    freshet_easy_set_long(easy, CURLOPT_PIPEWAIT, 1)
    freshet_easy_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { _, size, count, _ in size * count
    }
    if let certificate = settings.certificate {
      _ = certificate.withCString { freshet_easy_set_pointer(easy, CURLOPT_CAINFO, $0) }
    }
    return easy
  }
}

// MARK: - Multi

extension CurlLoops {
  /// The multi interface with its measured transfers, and slow ones beside them.
  private final class Multi {
    private let multi = curl_multi_init()
    private let epoll = epoll_create1(0)
    private let meter: Meter
    private var handles: [UnsafeMutableRawPointer] = []
    private var slow: [UnsafeMutableRawPointer] = []
    private var timer: UInt64?
    private var registered: [Int32: UInt32] = [:]
    private var left: Int
    private var warming: Int
    private var running = 0

    init(_ url: URL, _ count: Int, parallel: Int, _ settings: Settings, _ meter: Meter) throws {
      self.meter = meter
      left = count + parallel * 2
      warming = parallel * 2
      freshet_multi_set_long(multi, CURLMOPT_MAXCONNECTS, parallel + settings.slowCount + 8)
      for _ in 0..<parallel { handles.append(try handle(for: url, settings)) }
      guard let url = settings.slow else { return }
      for _ in 0..<settings.slowCount { slow.append(try handle(for: url, settings)) }
    }

    deinit {
      for easy in handles + slow {
        curl_multi_remove_handle(multi, easy)
        curl_easy_cleanup(easy)
      }
      curl_multi_cleanup(multi)
      close(epoll)
    }

    private func begin() {
      for easy in slow { curl_multi_add_handle(multi, easy) }
      for easy in handles where left > 0 { again(easy) }
    }

    private func again(_ easy: UnsafeMutableRawPointer) {
      left -= 1
      running += 1
      curl_multi_add_handle(multi, easy)
    }

    private func collect() throws {
      var rest: Int32 = 0
      while let message = curl_multi_info_read(multi, &rest) {
        guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
          continue
        }
        guard message.pointee.data.result == CURLE_OK else { throw BenchError("a transfer failed") }
        curl_multi_remove_handle(multi, easy)
        running -= 1
        if warming > 0 {
          warming -= 1
          if warming == 0 { meter.restart() }
        }
        if left > 0 { again(easy) }
      }
    }

    func runPolling() throws {
      begin()
      var count: Int32 = 0
      while running > 0 {
        curl_multi_perform(multi, &count)
        try collect()
        if running > 0 { curl_multi_poll(multi, nil, 0, 1_000, nil) }
      }
      meter.stop()
    }

    func runEvents() throws {
      setCallbacks()
      begin()
      var events = [epoll_event](repeating: epoll_event(), count: 256)
      var count: Int32 = 0
      while running > 0 {
        if let due = timer, due <= Self.now {
          timer = nil
          curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &count)
        }
        try collect()
        guard running > 0 else { break }
        let patience = timer.map {
          $0 > Self.now ? Int32(($0 - Self.now + 999_999) / 1_000_000) : 0
        }
        let ready = epoll_wait(epoll, &events, 256, patience ?? 1_000)
        for event in events.prefix(Int(max(ready, 0))) {
          var flags: Int32 = 0
          if event.events & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0 { flags |= CURL_CSELECT_IN }
          if event.events & EPOLLOUT.rawValue != 0 { flags |= CURL_CSELECT_OUT }
          curl_multi_socket_action(multi, event.data.fd, flags, &count)
        }
      }
      meter.stop()
    }

    private func setCallbacks() {
      let me = Unmanaged.passUnretained(self).toOpaque()
      freshet_multi_set_socket_callback(multi) { _, descriptor, what, context, _ in
        context.map { Unmanaged<Multi>.fromOpaque($0).takeUnretainedValue() }?
          .watch(descriptor, what)
        return 0
      }
      freshet_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, me)
      freshet_multi_set_timer_callback(multi) { _, milliseconds, context in
        let multi = context.map { Unmanaged<Multi>.fromOpaque($0).takeUnretainedValue() }
        multi?.timer = milliseconds < 0 ? nil : Multi.now + UInt64(milliseconds) * 1_000_000
        return 0
      }
      freshet_multi_set_pointer(multi, CURLMOPT_TIMERDATA, me)
    }

    private func watch(_ descriptor: Int32, _ what: Int32) {
      let events =
        switch what {
        case CURL_POLL_IN: EPOLLIN.rawValue
        case CURL_POLL_OUT: EPOLLOUT.rawValue
        case CURL_POLL_INOUT: EPOLLIN.rawValue | EPOLLOUT.rawValue
        default: UInt32(0)
        }
      let before = registered[descriptor] ?? 0
      guard events != before else { return }
      registered[descriptor] = events
      var event = epoll_event()
      event.events = events
      event.data.fd = descriptor
      let operation = before == 0 ? EPOLL_CTL_ADD : events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD
      epoll_ctl(epoll, operation, descriptor, &event)
    }

    private static var now: UInt64 {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
  }
}

extension Contender {
  /// The loops of many handles, with `poll` and with `epoll`.
  static func multi(
    _ url: URL,
    parallel: Int,
    _ settings: CurlLoops.Settings = CurlLoops.Settings()
  ) -> [Contender] {
    [
      Contender(name: "C multi, poll") {
        try CurlLoops.poll(url, $0, parallel: parallel, $1, settings)
      },
      Contender(name: "C multi, epoll") {
        try CurlLoops.action(url, $0, parallel: parallel, $1, settings)
      },
    ]
  }
}
#endif
