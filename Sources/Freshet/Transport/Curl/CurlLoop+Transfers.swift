#if os(Linux)
import CCurl

extension CurlLoop {
  /// The number of handles that are kept for later.
  private static let poolSize = 128

  func start(_ exchange: CurlExchange) {
    guard exchange.isOpen else { return }
    guard let handle = pool.popLast() ?? CurlHandle(self) else {
      let failure = FreshetError.ConnectionFailure.other("out of memory")
      if exchange.finish(.failure(.connection(failure, url: exchange.shownURL))) {
        wake(exchange)
      }
      return
    }
    handle.begin(exchange, at: now)
    curl_multi_add_handle(multi, handle.easy)
    active[exchange.id] = handle
    watch(handle)
  }

  func cancel(_ id: Int) {
    guard let handle = active[id] else { return }
    retire(handle, id)
  }

  func complete(_ easy: UnsafeMutableRawPointer, _ code: CURLcode) {
    guard let handle = CurlHandle.of(easy), let exchange = handle.exchange else { return }
    if handle.failure == nil, handle.decoder?.isWaiting == true {
      handle.ended = code
      return
    }
    if handle.beginsAnew(after: code) {
      curl_multi_remove_handle(multi, easy)
      curl_multi_add_handle(multi, easy)
      return
    }
    finish(handle, exchange, handle.result(code, of: exchange))
  }

  func resumeReceiving(_ id: Int) {
    guard let handle = active[id], handle.isReceivingPaused else { return }
    handle.isReceivingPaused = false
    go(on: handle)
  }

    if handle.decoder?.isWaiting == true { decodeLater(id) }
  func resumeSending(_ id: Int) {
    guard let handle = active[id], handle.isSendingPaused else { return }
    handle.isSendingPaused = false
    go(on: handle)
  }

  /// Ends the transfers whose deadlines have passed; looks at them only when one may have.
  func expire() {
    guard now >= nextDeadline else { return }
    nextDeadline = .max
    for handle in Array(active.values) {
      guard let (time, phase) = handle.deadlines.earliest else { continue }
      guard time <= now, let exchange = handle.exchange else {
        nextDeadline = min(nextDeadline, time)
        continue
      }
      finish(handle, exchange, handle.result(of: phase, exchange))
    }
  }
}

extension CurlLoop {
  /// Sees to it that the handle's next deadline is not missed.
  func watch(_ handle: CurlHandle) {
    if let (time, _) = handle.deadlines.earliest { nextDeadline = min(nextDeadline, time) }
  }

  func go(on handle: CurlHandle) {
    handle.deadlines.lastActivity = now
    handle.applyPauses()
    watch(handle)
  }

  func finish(
    _ handle: CurlHandle,
    _ exchange: CurlExchange,
    _ end: Result<TransferMetrics, FreshetError>
  ) {
    if exchange.finish(end) { wake(exchange) }
    retire(handle, exchange.id)
  }

  private func retire(_ handle: CurlHandle, _ id: Int) {
    curl_multi_remove_handle(multi, handle.easy)
    if let failure = handle.failure, let exchange = handle.exchange {
      // What libcurl has kept is refused, of which it tells nobody.
      return finish(handle, exchange, .failure(failure))
    }
    active[id] = nil
    handle.end()
    if pool.count < Self.poolSize, !handle.isPinned { pool.append(handle) }
  }
}
#endif
