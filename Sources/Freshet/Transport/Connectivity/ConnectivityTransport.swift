/// A transport whose requests can wait until the network is online.
///
/// - A wait is announced once, by ``TransferEvent/waitingForConnectivity``, and ends a cancelled call at once.
/// - It takes no permit of a scheduler, and no timeout but ``Request/Timeouts/connectivity`` runs.
/// - A request that reached no server because the network went offline waits again, instead of failing. The time
///   that it took counts for ``Request/Timeouts/total``.
struct ConnectivityTransport: TransportDecorator {
  let base: any Transport
  /// The network; `nil` for the network of the device, which is observed after the first request that may wait.
  let connectivity: Connectivity?
  let clock: CallClock

  func send(_ request: Request) -> Transfer {
    guard request.timeouts.waitsForConnectivity, URLOrigin(request.url)?.isLoopback != true else {
      return base.send(request)
    }
    return Transfer(resolved: request, events: { Attempts(request.scoped, self) })
  }

  /// The events of one call.
  final class Attempts: AsyncIteratorProtocol {
    private let request: Request
    private let base: any Transport
    private let connectivity: Connectivity
    private let clock: CallClock
    private let timer: CallTimer
    private var events: Transfer.Iterator?
    private var isWaiting = false
    private var isAnswered = false

    init(_ request: Request, _ transport: ConnectivityTransport) {
      self.request = request
      base = transport.base
      connectivity = transport.connectivity ?? .system
      clock = transport.clock
      timer = CallTimer(request, by: clock)
    }

    func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> TransferEvent? {
      while true {
        if isWaiting {
          try await wait()
          isWaiting = false
        }
        if events == nil {
          guard connectivity.state == .online else {
            isWaiting = true
            return .waitingForConnectivity
          }
          events = base.send(try timer.remaining(of: request)).makeAsyncIterator()
        }
        do {
          guard let event = try await events?.next(isolation: actor) else { return nil }
          note(event)
          return event
        } catch {
          guard waits(after: error) else { throw error }
          events = nil
        }
      }
    }

    private func note(_ event: TransferEvent) {
      switch event {
      case .redirected, .interim, .head: isAnswered = true
      default: break
      }
    }

    /// Returns whether the request has reached no server, because there is no network any more.
    private func waits(after error: FreshetError) -> Bool {
      !isAnswered && error.isOffline && connectivity.state == .offline && !Task.isCancelled
        && request.isReplayable
    }

    /// Waits until the network is online, and notes how long that took.
    private func wait() async throws(FreshetError) {
      let begin = clock.now
      defer { request.scope?.noteOffline(clock.now - begin) }
      let isOnline = try await request.waiting {
        [connectivity, clock, limit = request.timeouts.connectivity] () async throws(FreshetError)
        in
        guard let limit else {
          try await connectivity.waitUntilOnline()
          return true
        }
        return try await connectivity.isOnline(within: limit, by: clock)
      }
      guard isOnline else { throw .timedOut(.connectivity, url: Redaction.shown(request.url)) }
    }
  }
}

extension Connectivity {
  /// Waits until the network is online, for at most this long.
  func isOnline(within limit: Duration, by clock: CallClock) async throws(FreshetError) -> Bool {
    let end = clock.now + limit
    let isOnline = await watched.first(
      { $0 == .online ? true : nil },
      or: { (try? await clock.sleep(until: end)).map { false } }
    )
    guard let isOnline else { throw .cancelled }
    return isOnline
  }
}
