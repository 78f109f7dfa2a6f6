import Synchronization

extension Transport {
  /// Sends a second request when the first one is slow to answer, see ``HedgingPolicy``.
  ///
  /// - Only requests without a body whose method is safe are sent twice, see also
  ///   ``HedgingPolicy/includesUnsafe``.
  /// - The delay begins when the first request may be sent: the wait for a permit of a client's scheduler does not
  ///   count. That of ``Transport/limited(by:)`` inside counts.
  /// - The first response that begins is delivered, with its events from the beginning; the other request is
  ///   cancelled. If one fails, the other is waited for.
  /// - A first request that fails before the second one began fails as it would; retries belong around it.
  ///
  /// - Parameters:
  ///   - policy: The policy.
  ///   - clock: The clock that measures the delay.
  /// - Returns: A transport with a budget and measurements of its own, which its copies share.
  public func hedged(
    _ policy: HedgingPolicy = HedgingPolicy(),
    clock: any Clock<Duration> = ContinuousClock()
  ) -> some Transport {
    HedgedTransport(base: self, policy: policy, clock: CallClock(clock))
  }
}

struct HedgedTransport: TransportDecorator {
  let base: any Transport
  let policy: HedgingPolicy
  let clock: CallClock
  private let hosts: HedgedHosts

  init(base: any Transport, policy: HedgingPolicy, clock: CallClock) {
    self.base = base
    self.policy = policy
    self.clock = clock
    hosts = HedgedHosts(policy)
  }

  func send(_ request: Request) -> Transfer {
    let maySend = policy.includesUnsafe ? request.isIdempotent : request.method.isSafe
    guard request.body == nil, maySend, let host = URLOrigin(request.url) else {
      return base.send(request)
    }
    return Transfer(
      resolved: request,
      events: { Events(transport: self, request: request.scoped, host: host) }
    )
  }
}

/// The measurements and the budgets of the hosts.
private final class HedgedHosts: Sendable {
  /// The largest number of hosts that are measured; the others use the policy's delay.
  private static let limit = 256

  private let policy: HedgingPolicy
  private let accounts: RetryAccounts?
  private let times = Mutex<[URLOrigin: ResponseTimes]>([:])

  init(_ policy: HedgingPolicy) {
    self.policy = policy
    accounts = policy.budget.map(RetryAccounts.init)
  }

  func begin(_ host: URLOrigin, now: Duration) -> Duration {
    accounts?.deposit(for: host, now: now)
    return times.withLock { $0[host]?.delay(policy) } ?? policy.delay
  }

  func mayHedge(_ host: URLOrigin, now: Duration) -> Bool {
    accounts?.withdraw(for: host, now: now) ?? true
  }

  func note(_ time: Duration, of host: URLOrigin) {
    guard policy.percentile != nil else { return }
    times.withLock { times in
      guard times[host] != nil || times.count < Self.limit else { return }
      times[host, default: ResponseTimes()].add(time)
    }
  }
}

extension HedgedTransport {
  /// A response that has begun: its events so far, and where the others come from.
  fileprivate struct Beginning: Sendable {
    var events: [TransferEvent]
    let exchange: any Exchange

    /// Notes that a second request was sent, for the explanation.
    mutating func noteHedge(after delay: Duration) {
      guard case .head(var head)? = events.last else { return }
      head.notes.hedgedAfter = delay
      events[events.endIndex - 1] = .head(head)
    }
  }

  /// The events of the request that answers first.
  fileprivate final class Events: AsyncIteratorProtocol {
    let transport: HedgedTransport
    let request: Request
    let host: URLOrigin
    private var held: ArraySlice<TransferEvent> = []
    private var exchange: (any Exchange)?
    private var hasBegun = false

    init(transport: HedgedTransport, request: Request, host: URLOrigin) {
      self.transport = transport
      self.request = request
      self.host = host
    }

    func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> TransferEvent? {
      if !hasBegun {
        hasBegun = true
        let beginning = try await request.waiting {
          [transport, request, host] () async throws(FreshetError) in
          try await transport.race(request, host)
        }
        held = beginning.events[...]
        exchange = beginning.exchange
      }
      if let event = held.popFirst() { return event }
      return try await exchange?.next()
    }
  }

  /// Sends one request, a second one after a pause, and returns the response that begins first.
  @concurrent
  private func race(
    _ request: Request,
    _ host: URLOrigin
  ) async throws(FreshetError) -> Beginning {
    let begin = clock.now
    let delay = hosts.begin(host, now: begin)
    // The time at which the first request has its permit.
    let start = Watched<Duration?>(nil)
    let outcome = await withTaskGroup(
      of: Result<Beginning, FreshetError>?.self,
      returning: Result<Beginning, FreshetError>.self
    ) { group in
      var running = 1
      var hasPaused = false
      var isHedged = false
      var failure: FreshetError?
      group.addTask {
        await self.beginning(of: request) { start.update { $0 = $0 ?? clock.now } }
      }
      group.addTask {
        guard let start = await start.first({ $0 }) else { return nil }
        try? await clock.sleep(until: start + delay)
        return nil
      }
      defer { group.cancelAll() }
      for await ended in group {
        switch ended {
        case .success(var beginning)?:
          if isHedged { beginning.noteHedge(after: delay) }
          return .success(beginning)
        case .failure(let error)?:
          running -= 1
          failure = failure ?? error
          // Before the end of the pause there is only one request, and its failure is the result.
          if running == 0 { return .failure(failure ?? error) }
        case nil where !hasPaused:
          hasPaused = true
          var second = request
          // Both have the same end.
          if let total = request.timeouts.total {
            second.timeouts.total = total - (clock.now - begin)
          }
          guard !Task.isCancelled, running > 0, second.timeouts.total.map({ $0 > .zero }) ?? true,
            hosts.mayHedge(host, now: clock.now)
          else { continue }
          running += 1
          isHedged = true
          group.addTask { [second] in await self.beginning(of: second) }
        case nil:
          continue
        }
      }
      return .failure(failure ?? .cancelled)
    }
    let answered = try outcome.get()
    hosts.note(clock.now - (start.read(\.self) ?? begin), of: host)
    return answered
  }

  /// Reads a response up to its head.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - onStart: A closure that is called when the request is sent, and for each of its redirects.
  /// - Returns: The response that has begun, or its failure.
  private func beginning(
    of request: Request,
    onStart: @escaping @Sendable () -> Void = {}
  ) async -> Result<Beginning, FreshetError> {
    let transfer = base.send(request)
      .mapExchanges { exchange, _ in
        onStart()
        return exchange
      }
    let exchange = EventExchange(transfer.makeAsyncIterator())
    var events: [TransferEvent] = []
    do throws(FreshetError) {
      while let event = try await exchange.next() {
        events.append(event)
        if case .head = event { break }
      }
      return .success(Beginning(events: events, exchange: exchange))
    } catch {
      return .failure(error)
    }
  }
}
