#if !canImport(Darwin)
import CCurl

extension CurlLoop {
  /// The largest number of handles that are kept for reuse.
  private static let poolSize = 128

  func start(_ exchange: CurlExchange) {
    guard exchange.isOpen else { return }
    let mustBeNew = CurlHandle.mustBeNew(for: exchange.request, through: configuration.proxy)
    guard let handle = (mustBeNew ? nil : pool.popLast()) ?? CurlHandle(self) else {
      let failure = FreshetError.ConnectionFailure.other("out of memory")
      if exchange.finish(.failure(.connection(failure, url: exchange.shownURL))) {
        wake(exchange)
      }
      return
    }
    // It would be of no use to the next tunnel.
    if mustBeNew { handle.isPinned = true }
    handle.begin(exchange, at: now)
    active[exchange.id] = handle
    add(handle, exchange)
  }

  func cancel(_ id: Int) {
    guard let handle = active[id] else { return }
    closeBehind(handle)
    retire(handle, id, doubts: handle.doubtsWhenCancelled)
  }

  func complete(_ easy: UnsafeMutableRawPointer, _ code: CURLcode) {
    guard let handle = CurlHandle.of(easy), let exchange = handle.exchange else { return }
    if handle.state.failure == nil, handle.state.decoder?.isWaiting == true {
      handle.state.ended = code
      // libcurl may still hold bytes of a response that has failed while others use its connection.
      if code != CURLE_OK { handle.isPinned = true }
      noteRoom(handle)
      return
    }
    if handle.beginsAnew(after: code) { return beginAnew(handle, exchange, doubts: false) }
    if code == CURLE_OPERATION_TIMEDOUT, handle.connection == nil {
      noteLateConnection(of: handle, exchange)
    }
    if code == CURLE_COULDNT_CONNECT { noteUnreachable(exchange.request.host) }
    finish(handle, exchange, handle.result(code, of: exchange))
  }

  func resumeReceiving(_ id: Int) {
    guard let handle = active[id], handle.state.isReceivingPaused else { return }
    handle.state.isReceivingPaused = false
    if handle.state.decoder?.isWaiting == true { decoding.append(id) }
    noteStop(of: handle)
    go(on: handle)
  }

  func resumeSending(_ id: Int) {
    guard let handle = active[id], handle.state.isSendingPaused else { return }
    handle.state.isSendingPaused = false
    if let connection = handle.connection { endRest(of: connection) }
    go(on: handle)
  }

  /// Ends the transfers whose deadlines have passed; only scans them when one may have.
  ///
  /// What had arrived before a deadline counts: in a turn that takes long, such as one in which the process is
  /// stopped, it waits for the next one.
  func expire() {
    guard eventTime >= nextDeadline else { return }
    nextDeadline = .max
    for handle in Array(active.values) {
      if let due = handle.silenceDue {
        if due <= eventTime {
          noteSilence(of: handle)
        } else {
          nextDeadline = min(nextDeadline, due)
        }
      }
      guard let (time, phase) = handle.deadlines.earliest else { continue }
      guard time <= eventTime, let exchange = handle.exchange else {
        nextDeadline = min(nextDeadline, time)
        continue
      }
      let doubts = handle.doubts(after: phase)
      if handle.beginsAnew(afterTimeout: phase) {
        beginAnew(handle, exchange, doubts: doubts)
      } else {
        if handle.connection == nil { noteLateConnection(of: handle, exchange) }
        closeBehind(handle)
        finish(handle, exchange, handle.result(of: phase, exchange), doubts: doubts)
      }
    }
  }
}

extension CurlLoop {
  /// Includes the deadlines of a handle in the next one of the loop.
  func watch(_ handle: CurlHandle) {
    if let (time, _) = handle.deadlines.earliest { nextDeadline = min(nextDeadline, time) }
    if let due = handle.silenceDue { nextDeadline = min(nextDeadline, due) }
  }

  func go(on handle: CurlHandle) {
    handle.deadlines.lastActivity = now
    handle.applyPauses()
    if let failure = handle.state.failure, let exchange = handle.exchange {
      // Bytes that libcurl had kept were refused, which it does not report.
      return finish(handle, exchange, .failure(failure))
    }
    watch(handle)
  }

  func finish(
    _ handle: CurlHandle,
    _ exchange: CurlExchange,
    _ end: Result<TransferMetrics, FreshetError>,
    doubts: Bool = false
  ) {
    if exchange.finish(end) { wake(exchange) }
    retire(handle, exchange.id, doubts: doubts)
  }

  private func retire(_ handle: CurlHandle, _ id: Int, doubts: Bool) {
    if !handle.isWaiting {
      noteRoom(handle)
    } else if let host = handle.exchange?.request.host {
      waiters.remove(id, host)
    }
    // libcurl 7.88 would give bytes that it holds for a request on a shared connection to the handle's next one.
    let isReusable = !handle.isHeldBack && !handle.isPinned
    remove(handle, doubts: doubts)
    active[id] = nil
    handle.end()
    if isReusable, pool.count < Self.poolSize { pool.append(handle) }
  }
}
#endif
