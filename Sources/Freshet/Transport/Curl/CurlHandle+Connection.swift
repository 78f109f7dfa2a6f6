#if !canImport(Darwin)
import CCurl

extension CurlHandle {
  /// Returns whether a request may be sent over a connection; libcurl calls this each time before it does.
  func mayStart(over key: CurlConnectionKey) -> Bool {
    // libcurl repeats a request whose expectation has failed; its response is delivered already.
    guard let exchange, !deadlines.hasHead else { return false }
    // What has come before the request is no response to it: libcurl passes on the trailers of a proxy that has
    // refused a tunnel.
    if !state.lines.isEmpty { state.forgetHead() }
    let (repetition, sent) = (state.repetition, number(CURLINFO_REQUEST_SIZE))
    state.repetition.noteAttempt(opened: number(CURLINFO_NUM_CONNECTS), sent: sent)
    // libcurl rewinds the body only if it believes that some of it was sent.
    guard repetition.sent == nil || repetition.isHarmless(sent: sent), rewindBody() else {
      state.failure = .connection(.lost, url: exchange.shownURL)
      return false
    }
    guard acceptsProtocol else {
      let reason = "the server does not speak HTTP/2"
      state.failure = .connection(.other(reason), url: exchange.shownURL)
      return false
    }
    let isKept = state.repetition.isKept
    // Others may share it, or no longer have to wait whether they may.
    let mayBeShared = lastManner?.isShareable == true || exchange.url.isSecure
    if !isKept, mayBeShared { loop.noteRoom(self, isNew: true) }
    connection = loop.connection(key)
    guard let connection else { return true }
    if isKept, !loop.canTakeRequest(connection) {
      state.wantsAnother = true
      return false
    }
    loop.noteRequest(on: connection, isKept: isKept)
    loop.watch(self)
    return true
  }

  /// A Boolean value that indicates whether the request waits for a connection, if libcurl has been asked for one.
  var isWaiting: Bool {
    connection == nil && !hasSocket && state.repetition.sent == nil && state.ended == nil
  }

  /// Prepares the handle to send the request again, if nothing was answered and the request can be repeated.
  ///
  /// That applies if a kept connection has failed, or cannot take a request. libcurl repeats requests
  /// by itself, but not if a connection is reset while a body is sent, nor if the server has said goodbye on
  /// HTTP/2 between the choice of the connection and the request, or has ended the connection in order then, and
  /// it allows five repetitions over the whole life of a handle, so that a sixth request would fail. The request
  /// is then repeated once more, over a new connection, because all kept ones may be closed.
  func beginsAnew(after code: CURLcode) -> Bool {
    guard state.failure == nil, state.lineBytes == 0 else { return false }
    if state.wantsAnother, code == CURLE_ABORTED_BY_CALLBACK { return getsReady() }
    let codes = [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_PARTIAL_FILE]
    guard codes.contains(code),
      !state.hasBegunAnew,
      state.repetition.isHarmless(sent: number(CURLINFO_REQUEST_SIZE)),
      state.repetition.isKept || CurlFailure.Words(words(for: code)) == .died
    else { return false }
    return getsReady()
  }

  /// Prepares the handle to send the request again, if a kept connection has not answered in time.
  func beginsAnew(afterTimeout phase: FreshetError.TimeoutPhase) -> Bool {
    guard phase == .firstByte, !deadlines.isAnswered, !state.hasBegunAnew, state.failure == nil,
      state.lineBytes == 0, connection != nil, state.repetition.isKept, state.repetition.isAllowed
    else { return false }
    return getsReady()
  }

  private func getsReady() -> Bool {
    guard rewindBody() else { return false }
    state.hasBegunAnew = true
    state.wantsAnother = false
    state.isSilenceNoted = false
    state.repetition = CurlRepetition(isAllowed: state.repetition.isAllowed)
    message[0] = 0
    return true
  }

  /// Returns whether a timeout means that the connection may be broken.
  func doubts(after phase: FreshetError.TimeoutPhase) -> Bool {
    guard connection != nil, !deadlines.isPaused, !deadlines.isAnswered, state.ended == nil else {
      return false
    }
    guard phase == .total else { return true }
    return state.lineBytes == 0 || loop.now >= deadlines.lastActivity + Self.patience
  }

  /// A Boolean value that indicates whether cancelling now means that the connection may be broken.
  ///
  /// That is so if it has not answered any request for at least a second.
  var doubtsWhenCancelled: Bool {
    guard let connection, !deadlines.hasHead, !deadlines.isPaused else { return false }
    return loop.unanswered(on: connection) >= Self.patience
  }

  private static let patience: UInt64 = 1_000_000_000

  /// The time at which a connection that several requests may share is considered silent, unless one of
  /// them receives bytes from it before.
  var silenceDue: UInt64? {
    guard let connection, loop.sockets[Int(connection)].isShared, !state.isSilenceNoted,
      !deadlines.hasHead, !deadlines.isPaused
    else { return nil }
    let lastReceived = loop.sockets[Int(connection)].lastReceived
    return max(deadlines.lastActivity, lastReceived) + CurlLoop.silence
  }

  /// Sets whether the connection is closed after the request, unless others use it; that of a loop that takes no
  /// new exchanges always is.
  func forbidReuse(_ isForbidden: Bool) {
    let isForbidden = isForbidden || loop.isRetired
    guard isForbidden != isReuseForbidden else { return }
    isReuseForbidden = isForbidden
    set(CURLOPT_FORBID_REUSE, isForbidden ? 1 : 0)
  }

  /// Sets whether libcurl uses a new connection.
  func setFresh(_ isFresh: Bool) {
    guard isFresh != wantsFresh else { return }
    wantsFresh = isFresh
    set(CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
  }

  /// Gives a request with HTTP/2 without TLS a connection of its own, if libcurl cannot share such a connection.
  ///
  /// libcurl 7.88 puts HTTP/2 upon a connection that speaks it already (mended in 8.0).
  func separateIfNeeded() {
    guard lastManner?.version == CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE, !Self.sharesPlainHTTP2 else {
      return
    }
    setFresh(true)
    forbidReuse(true)
  }

  private static let sharesPlainHTTP2 =
    curl_version_info(CURLVERSION_FIRST)
    .map { !(0x07_5800..<0x08_0000).contains($0.pointee.version_num) }
    ?? true

  /// Sets the lane of the request, see ``CurlLanes``.
  func setLane(_ number: Int) {
    guard number != lane else { return }
    lane = number
    set(CURLOPT_SSL_OPTIONS, CurlLanes.options(number))
  }
}
#endif
