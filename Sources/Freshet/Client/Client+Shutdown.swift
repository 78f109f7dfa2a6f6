extension Client {
  /// Shuts the client and its copies down: new calls are refused, those that run are finished or, after a
  /// while, cancelled, and then connections and stores are closed.
  ///
  /// ```swift
  /// await client.shutdown(grace: .seconds(10))
  /// ```
  ///
  /// - What begins from now on fails with ``FreshetError/shutDown(url:)``: calls, and fetches that a store
  ///   could answer, too. A running call can continue with its retries, redirects and new connections.
  ///   A list of pages and an upload run until they end or their iterators are released.
  /// - What still runs after the grace period fails with ``FreshetError/cancelled``, and its next transfer with
  ///   ``FreshetError/shutDown(url:)``. A stream of events never
  ///   ends by itself, and is cancelled then. Readers that do not ask for their next element meanwhile are waited
  ///   for one more second.
  /// - The transport's idle connections and its thread are closed
  ///   (``Transport/closeIdleConnections()``); another client with the same transport opens new ones when it
  ///   needs them.
  /// - The memory store is emptied, and the disk store writes what waits and is closed for good
  ///   (``DiskStore/close()``), unless another client uses the same one: then the last one of them does that.
  /// - If the task is cancelled meanwhile, the grace period is over at once. Calling it again is harmless.
  ///
  /// - Parameter grace: The time in which running calls may finish; 30 seconds by default.
  public func shutdown(grace: Duration = .seconds(30)) async {
    let settings = settings
    settings.lifecycle.shutDown()
    let isIdle = await settings.lifecycle.idle(within: grace, by: configuration.clock)
    // What is left is not to be left half done by a cancellation.
    await Task { await settings.close(cancelling: !isIdle) }.value
  }
}

extension Client.Settings {
  /// The longest time that cancelled calls may take to end.
  private static var patience: Duration { .seconds(1) }

  fileprivate func close(cancelling: Bool) async {
    lifecycle.end()
    if cancelling {
      ownRefreshes?.cancelAll()
      activity.cancel(of: lifecycle)
      _ = await lifecycle.idle(within: Self.patience, by: ContinuousClock())
    }
    await configuration.transport.closeIdleConnections()
    guard lifecycle.leaveStores() else { return }
    if let memory = configuration.memory, memory.users.leave() { memory.removeAll() }
    if let disk = configuration.disk, disk.users.leave() { await disk.close() }
  }

  func enterStores() {
    configuration.memory?.users.enter()
    configuration.disk?.users.enter()
  }

  /// Leaves the stores when a client is released without a shutdown.
  func leaveStores() {
    guard lifecycle.leaveStores() else { return }
    _ = configuration.memory?.users.leave()
    _ = configuration.disk?.users.leave()
  }
}
