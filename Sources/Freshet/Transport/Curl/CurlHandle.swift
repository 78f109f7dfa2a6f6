#if !canImport(Darwin)
import CCurl
import FreshetEssentials

/// An easy handle and the exchange that it runs; it is only used on the loop's thread.
///
/// Options that are the same for all requests are set once, when the handle is created; handles are reused.
///
/// ``state`` and ``deadlines`` are not checked for exclusive access: their accesses run no other code, and
/// come from one thread.
final class CurlHandle {
  let easy: UnsafeMutableRawPointer
  unowned let loop: CurlLoop

  var exchange: CurlExchange?
  /// The options that the last request has set.
  var lastManner: Options?
  @exclusivity(unchecked) var deadlines = CurlDeadlines(Request.Timeouts(), start: 0)
  @exclusivity(unchecked) var state = State()

  /// The socket on which libcurl waits, once it has had to: for a name, a connection, or the response.
  var descriptor: Int32? {
    didSet { loop.noteUse(by: self, of: descriptor, insteadOf: oldValue) }
  }
  /// A Boolean value that indicates whether libcurl has waited on a socket since it has the request.
  var hasSocket = false

  /// The connection over which the request is sent.
  var connection: Int32? {
    didSet { loop.noteUse(by: self, of: connection, insteadOf: oldValue) }
  }
  /// The lane, which decides which connections the request can share, see ``CurlLanes``.
  var lane = 0
  var wantsFresh = false
  var isReuseForbidden = false

  /// A Boolean value that indicates whether the handle is not used again: the next request must not inherit its pins,
  /// its credential, or its received fields.
  var isPinned = false

  /// The error buffer of libcurl, with the request's first failure, see ``words(for:)``.
  let message: UnsafeMutablePointer<CChar>
  /// The last failure from the debug output, if that is enabled.
  var heard: String?
  var isListening = false
  /// A Boolean value that indicates whether the next line of the head is examined before libcurl takes it.
  var isExamining = false

  /// The state of one exchange, which is replaced at its end.
  struct State {
    /// The error with which a callback ended the transfer.
    var failure: FreshetError?
    /// The reason why no socket was made for a connection, if the system had no descriptor left or the
    /// address is not allowed.
    var missingSocket: FreshetError?

    var lines: [UInt8] = []
    var lineCount = 0
    var lineBytes = 0
    /// The values of the head's `Content-Encoding`, if they are to be decoded.
    var codings: [String] = []
    /// The members of the head's `Transfer-Encoding`, in lower case.
    var transferCodings: [String] = []
    /// A Boolean value that indicates whether the last line was one of those fields.
    var isFraming = false
    /// A Boolean value that indicates whether the head has a `Content-Length`.
    var hasLength = false
    /// The number of interim responses that were delivered.
    var interimCount = 0
    var decoder: ContentDecoder?
    var decoded: Int64 = 0
    /// The result code of libcurl, if the body is not completely decoded yet.
    var ended: CURLcode?
    var isReceivingPaused = false
    /// A Boolean value that indicates whether the next run of the transfer is one by ``lookAgain()``.
    var isLookedAt = false

    /// The received and the expected size of the encoded body, if they are counted.
    var arrival = CurlArrival()

    var upload: CurlBody?
    var uploaded: Int64 = 0
    var isSendingPaused = false
    /// A Boolean value that indicates whether the last read of the body was at its end.
    var hasReadEnd = false
    /// A Boolean value that indicates whether the server has refused to wait for the request's body.
    var isExpectationFailed = false
    /// A Boolean value that indicates whether the server of an upgraded connection sends nothing more.
    var hasServerEnded = false

    /// A Boolean value that indicates whether the request was repeated, see ``beginsAnew(after:)``.
    var hasBegunAnew = false
    /// A Boolean value that indicates whether the connection that libcurl chose was rejected.
    var wantsAnother = false
    var repetition = CurlRepetition()
    /// A Boolean value that indicates whether the connection's silence has been noted.
    var isSilenceNoted = false
    /// The amount that a proxy has sent to refuse a tunnel.
    var refusals = CurlRefusals()

    /// Forgets the lines of a head, and what they say about its body.
    mutating func forgetHead() {
      lines.removeAll(keepingCapacity: true)
      codings.removeAll()
      transferCodings.removeAll()
      isFraming = false
      hasLength = false
      arrival = CurlArrival()
    }
  }

  init?(_ loop: CurlLoop) {
    guard let easy = curl_easy_init() else { return nil }
    self.easy = easy
    self.loop = loop
    message = .allocate(capacity: Int(CURL_ERROR_SIZE))
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    setCallbacks()
    setConstants(loop.configuration)
  }

  deinit {
    // The callbacks would find an object that is going.
    set(CURLOPT_VERBOSE, 0)
    curl_easy_cleanup(easy)
    message.deallocate()
  }

  /// Starts an exchange.
  func begin(_ exchange: CurlExchange, at time: UInt64) {
    self.exchange = exchange
    deadlines = CurlDeadlines(exchange.request.timeouts, start: time)
    message[0] = 0
    setRequest(exchange)
    setPins(for: exchange.request.url)
    setIdentity(for: exchange.request.url)
    setLookup(of: exchange.request.host)
    setProxyLogin(of: exchange.request)
    setTunnelUser(of: exchange)
    loop.place(self, exchange)
    // Whatever the lane of the handle's last request was.
    if exchange.request.wantsNewConnection { setFresh(true) }
    separateIfNeeded()
    setUpgrade(for: exchange.request)
  }

  /// Resets the handle after an exchange.
  func end() {
    if case .stream(let pipe) = state.upload { pipe.close() }
    exchange = nil
    state = State()
    stopListening()
    setFresh(false)
  }

  /// Returns the result of a transfer that libcurl has ended.
  func result(_ code: CURLcode, of exchange: CurlExchange) -> Result<TransferMetrics, FreshetError>
  {
    if let failure = state.failure { return .failure(failure) }
    // After a 417, libcurl repeats the request over any connection, which may fail.
    let isRepetition =
      deadlines.hasHead && (code == CURLE_ABORTED_BY_CALLBACK || state.isExpectationFailed)
    guard code != CURLE_OK, !isRepetition else {
      if let problem = incompleteness(of: exchange) { return .failure(problem) }
      return .success(metrics())
    }
    // libcurl keeps the system error of an earlier connection.
    if code == CURLE_COULDNT_CONNECT, let failure = state.missingSocket { return .failure(failure) }
    let failure = CurlFailure(
      code: code,
      message: words(for: code),
      systemError: systemError,
      isProxied: loop.configuration.proxy.isForAll,
      proxyStatus: number(CURLINFO_HTTP_CONNECTCODE),
      headerLimit: exchange.request.limits.headerBytes,
      hasHead: deadlines.hasHead
    )
    guard !deliversRefusal(failure, to: exchange) else { return .success(metrics()) }
    return .failure(failure.error(url: exchange.shownURL))
  }

  /// The error of the system with which a connection has failed, or 0.
  private var systemError: Int {
    let code = number(CURLINFO_OS_ERRNO)
    // libcurl asks the socket for the error, which has none if too many wait for the Unix socket.
    return code == 0 && loop.configuration.unixSocket != nil ? Int(EAGAIN) : code
  }

  /// Returns the result of a transfer that has timed out.
  func result(
    of phase: FreshetError.TimeoutPhase,
    _ exchange: CurlExchange
  ) -> Result<TransferMetrics, FreshetError> {
    guard phase == .idle, deadlines.isAnswered else {
      return .failure(.timedOut(phase, url: exchange.shownURL))
    }
    return result(CURLE_OK, of: exchange)
  }

  /// Returns an error if the response is incomplete although libcurl reports success.
  private func incompleteness(of exchange: CurlExchange) -> FreshetError? {
    guard deadlines.hasHead else { return .connection(.lost, url: exchange.shownURL) }
    guard let decoder = state.decoder, !decoder.isComplete else { return nil }
    return .invalidResponse(
      "its \(decoder.name) body ended too early; try again",
      url: exchange.shownURL
    )
  }

  /// A Boolean value that indicates whether the silence of the body's source is not that of the server.
  ///
  /// The source of an upgraded connection has nothing to say before the server has agreed, and then when
  /// it likes. After a whole response, the rest of the body is not needed.
  var waitsForSource: Bool { exchange?.request.isUpgrade != true && !deadlines.isAnswered }

  /// Pauses and resumes the directions of the transfer as the flags say.
  func applyPauses() {
    deadlines.isPaused = state.isReceivingPaused || state.isSendingPaused && waitsForSource
    let receiving = isHeldBack ? CURLPAUSE_RECV : CURLPAUSE_RECV_CONT
    let sending = state.isSendingPaused ? CURLPAUSE_SEND : CURLPAUSE_SEND_CONT
    curl_easy_pause(easy, receiving | sending)
  }

  /// Has libcurl run the transfer, which it does after a change of its pauses.
  func lookAgain() {
    state.isLookedAt = true
    curl_easy_pause(easy, state.isSendingPaused ? CURLPAUSE_SEND_CONT : CURLPAUSE_SEND)
    applyPauses()
  }
}

// MARK: - Values of libcurl

extension CurlHandle {
  func set(_ option: CURLoption, _ value: Int) {
    freshet_easy_set_long(easy, option, value)
  }

  func set(_ option: CURLoption, _ value: String?) {
    guard let value else {
      freshet_easy_set_pointer(easy, option, nil)
      return
    }
    value.withCString { _ = freshet_easy_set_pointer(easy, option, $0) }
  }

  func set(_ option: CURLoption, pointer: UnsafeRawPointer?) {
    freshet_easy_set_pointer(easy, option, pointer)
  }

  /// Sets an option for TLS to bytes, which libcurl copies; where its TLS library has no such option, no server is
  /// trusted.
  func set(_ option: CURLoption, blob: Data) {
    let code = blob.withUnsafeBytes {
      freshet_easy_set_blob(easy, option, $0.baseAddress, $0.count)
    }
    if code != CURLE_OK { set(CURLOPT_PROTOCOLS_STR, "http") }
  }

  func number(_ info: CURLINFO) -> Int {
    var value = 0
    freshet_easy_get_long(easy, info, &value)
    return value
  }

  func offset(_ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    freshet_easy_get_offset(easy, info, &value)
    return Int64(value)
  }

  /// The number of body bytes received so far, before decoding.
  var received: Int64 { offset(CURLINFO_SIZE_DOWNLOAD_T) }

  /// A Boolean value that indicates whether at most 64 KiB of the response's body are missing.
  var hasShortRest: Bool {
    let length = offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    return length >= 0 && length - received <= 64 << 10
  }

  private func metrics() -> TransferMetrics {
    let tls = offset(CURLINFO_APPCONNECT_TIME_T)
    // libcurl counts from the time at which it was handed the request for the last time.
    let total: Duration = max(
      .microseconds(offset(CURLINFO_TOTAL_TIME_T)),
      .nanoseconds(loop.now - min(deadlines.start, loop.now))
    )
    let isReused = number(CURLINFO_NUM_CONNECTS) == 0
    return TransferMetrics(
      nameLookup: .microseconds(offset(CURLINFO_NAMELOOKUP_TIME_T)),
      connect: .microseconds(offset(CURLINFO_CONNECT_TIME_T)),
      tls: tls > 0 && !isReused ? .microseconds(tls) : nil,
      firstByte: .microseconds(offset(CURLINFO_STARTTRANSFER_TIME_T)),
      total: total,
      bytesSent: offset(CURLINFO_SIZE_UPLOAD_T),
      bytesReceived: received,
      networkProtocol: Self.name(of: number(CURLINFO_HTTP_VERSION)),
      reusedConnection: isReused
    )
  }

  private static func name(of version: Int) -> String {
    switch version {
    case CURL_HTTP_VERSION_1_0: "http/1.0"
    case CURL_HTTP_VERSION_2_0: "h2"
    case CURL_HTTP_VERSION_3: "h3"
    default: "http/1.1"
    }
  }
}
#endif
