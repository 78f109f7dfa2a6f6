#if os(Linux)
import CCurl

extension CurlHandle {
  /// Asked by libcurl before it sends a request over a connection, each time.
  func mayStart(over key: CurlConnectionKey) -> Bool {
    let sent = number(CURLINFO_REQUEST_SIZE)
    defer { repetition.sent = sent }
    guard repetition.sent == nil || lineBytes > 0 || repetition.isHarmless(sent: sent) else {
      failure = exchange.map { .connection(.lost, url: $0.shownURL) }
      return false
    }
    connection = loop.connection(key)
    guard let connection else { return true }
    let isKept = isKept
    if isKept, !loop.canTakeRequest(connection) {
      wantsAnother = true
      return false
    }
    loop.noteRequest(on: connection, isKept: isKept)
    loop.watch(self)
    return true
  }

  /// Whether the request has met a connection that was there before.
  private var isKept: Bool { number(CURLINFO_NUM_CONNECTS) == 0 }

  /// Gets ready to begin anew, if nothing has been answered and the request can be sent again.
  ///
  /// That is so if a kept connection has failed, or is not one for a request. libcurl begins anew by
  /// itself, but not for a connection that is reset while a body is sent, and it counts to five over
  /// the whole life of a handle, whose sixth request of the kind would fail. It is asked once more
  /// then, for a new connection: those that are kept may all be closed.
  func beginsAnew(after code: CURLcode) -> Bool {
    guard failure == nil, lineBytes == 0 else { return false }
    if wantsAnother, code == CURLE_ABORTED_BY_CALLBACK { return getsReady() }
    guard code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR,
      !hasBegunAnew,
      repetition.isHarmless(sent: number(CURLINFO_REQUEST_SIZE)),
      isKept || words(for: code).hasPrefix("Connection died, tried")
    else { return false }
    return getsReady()
  }

  /// Gets ready to begin anew, if it is a kept connection that has not answered in time.
  func beginsAnew(afterTimeout phase: FreshetError.TimeoutPhase) -> Bool {
    guard phase == .firstByte, !deadlines.isAnswered, !hasBegunAnew, failure == nil,
      lineBytes == 0, connection != nil, isKept, repetition.isAllowed
    else { return false }
    return getsReady()
  }

  private func getsReady() -> Bool {
    guard upload == nil || rewind(to: 0) == Int(CURL_SEEKFUNC_OK) else { return false }
    hasBegunAnew = true
    wantsAnother = false
    isSilenceNoted = false
    repetition.sent = nil
    message[0] = 0
    isSendingPaused = false
    return true
  }

  /// Whether a deadline that has passed makes the connection one in doubt.
  func doubts(after phase: FreshetError.TimeoutPhase) -> Bool {
    guard connection != nil, !deadlines.isPaused, !deadlines.isAnswered, ended == nil else {
      return false
    }
    guard phase == .total else { return true }
    return lineBytes == 0 || loop.now >= deadlines.lastActivity + Self.patience
  }

  /// Whether being cancelled makes the connection one in doubt: it has answered nothing for a while.
  var doubtsWhenCancelled: Bool {
    guard let connection, !deadlines.hasHead, !deadlines.isPaused else { return false }
    return loop.unanswered(on: connection) >= Self.patience
  }

  private static let patience: UInt64 = 1_000_000_000

  /// When the connection is in doubt that others may share.
  var silenceDue: UInt64? {
    guard let connection, loop.sockets[Int(connection)].isShared, !isSilenceNoted,
      !deadlines.hasHead, !deadlines.isPaused
    else { return nil }
    return deadlines.lastActivity + CurlLoop.silence
  }

  /// Has the connection closed behind the request, if nobody else uses it.
  func forbidReuse(_ isForbidden: Bool) {
    guard isForbidden != isReuseForbidden else { return }
    isReuseForbidden = isForbidden
    set(CURLOPT_FORBID_REUSE, isForbidden ? 1 : 0)
  }

  /// Has libcurl take a new connection.
  func setFresh(_ isFresh: Bool) {
    guard isFresh != wantsFresh else { return }
    wantsFresh = isFresh
    set(CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
  }

  /// Sets the lane of the request, see ``CurlLanes``.
  func setLane(_ number: Int) {
    guard number != lane else { return }
    lane = number
    set(CURLOPT_SSL_OPTIONS, CurlLanes.options(number))
  }
}
#endif
