#if Redis && !canImport(Darwin)
public import Freshet
import FreshetEssentials
import Synchronization

/// A limit of the rate of requests to each host, which processes share, see
/// ``SharedStore/limiter(_:clock:)``.
public struct SharedLimiter: Interceptor {
  private let store: SharedStore
  private let rate: RequestLimits.Rate
  private let clock: any Clock<Duration>
  private let local: LocalRates

  /// The longest pause that a `Retry-After` is given.
  private static let longestPause = Duration.seconds(3_600)

  init(_ store: SharedStore, _ rate: RequestLimits.Rate, _ clock: any Clock<Duration>) {
    self.store = store
    self.rate = rate
    self.clock = clock
    local = LocalRates(rate, elapsed: clock.stopwatch())
  }

  /// Returns a transfer that waits for a token of its host.
  public func intercept(
    _ request: Request,
    next: @escaping @Sendable (Request) -> Transfer
  ) -> Transfer {
    guard let origin = request.url.originText else { return next(request) }
    return Transfer(request) { () async throws(FreshetError) in
      var request = request
      try await enter(origin, &request)
      return next(request)
        .mapEvents { event in
          // After redirects, another host may have answered.
          if case .head(let head) = event { hear(head, from: head.url.originText ?? origin) }
          return event
        }
    }
  }
}

extension SharedLimiter {
  /// Waits for a token of this process, and for one of all processes, and subtracts the time from the
  /// request's total timeout.
  ///
  /// A pause that the host asks for meanwhile delays both tokens.
  private func enter(_ origin: String, _ request: inout Request) async throws(FreshetError) {
    let own = local.reserve(origin, within: request.timeouts.total)
    var shared = Reservation()
    do throws(FreshetError) {
      try await wait(for: own, of: origin, &request) { local.delay(of: origin) - own.delay }
      shared = await reserve(origin, within: request.timeouts.total)
      let (before, since) = (local.delay(of: origin), shared.delay)
      // This process and the server hear of the same pauses, one of them later, or not at all.
      try await wait(for: shared, of: origin, &request) {
        await max(delay(of: origin) - since, local.delay(of: origin) - before)
      }
    } catch {
      if own.isReserved { local.refund(origin) }
      if shared.isReserved {
        store.pool.post(.refund, [store.names.rate(origin)], [.number(interval)])
      }
      throw error
    }
  }

  /// Waits for a token, as long again as it has been delayed meanwhile, and for the end of a pause.
  ///
  /// A pause that is noted while the server reserves the token need not have delayed it.
  private func wait(
    for token: Reservation,
    of origin: String,
    _ request: inout Request,
    delay: () async -> Duration
  ) async throws(FreshetError) {
    var (waited, delayed) = (Duration.zero, Duration.zero)
    while true {
      let pause = max(token.wait + delayed - waited, local.pause(of: origin))
      guard pause > .zero else { return }
      try await wait(pause, &request)
      waited += pause
      delayed = await max(delayed, delay())
    }
  }

  /// Waits, unless that is longer than the request has.
  private func wait(_ pause: Duration, _ request: inout Request) async throws(FreshetError) {
    if let total = request.timeouts.total {
      guard pause <= total else {
        throw .connection(.suspended(for: pause), url: Redaction.shown(request.url))
      }
      request.timeouts.total = total - pause
    }
    do {
      try await clock.sleep(for: pause)
    } catch {
      throw .cancelled
    }
  }

  /// The time for one token, in microseconds.
  private var interval: Int64 { rate.interval.microseconds }

  /// Reserves a token of all processes; it may be used at once if the server does not answer in time.
  private func reserve(_ origin: String, within limit: Duration?) async -> Reservation {
    let longest = limit ?? .longest
    let reply = try? await store.pool.run(
      .reserve,
      [store.names.rate(origin)],
      [.number(interval), .number(rate.tokens), .number(longest.microseconds)]
    )
    guard let found = reply?.elements, found.count == 3, let wait = found[1].number else {
      return Reservation()
    }
    return Reservation(
      wait: .microseconds(max(0, wait)),
      delay: .microseconds(found[2].number ?? 0),
      isReserved: found[0].number == 1
    )
  }

  /// The sum of the delays of the tokens of all processes; zero if the server does not answer in time.
  private func delay(of origin: String) async -> Duration {
    let reply = try? await store.pool.run(.pause, [store.names.rate(origin)], [.number(0)])
    return .microseconds(max(0, reply?.number ?? 0))
  }

  /// Tells all processes of a `Retry-After`.
  private func hear(_ head: ResponseHead, from origin: String) {
    guard [429, 503].contains(head.status.rawValue),
      let asked = head.retryAfter(now: store.now())
    else { return }
    let pause = min(asked, Self.longestPause)
    guard pause > .zero else { return }
    local.pause(origin, for: pause)
    store.pool.post(.pause, [store.names.rate(origin)], [.number(pause.microseconds)])
  }
}

extension SharedStore {
  /// Makes a limit of the rate of requests to each host, which all processes share that have the same
  /// server and prefix.
  ///
  /// ```swift
  /// let limiter = shared.limiter(RequestLimits.Rate(perSecond: 10, burst: 5))
  /// let client = Client {
  ///   $0.shared = shared
  ///   $0.transport = $0.transport.intercepted(by: limiter)
  /// }
  /// ```
  ///
  /// - A request waits for a token of its scheme, host and port. Tokens come back at the rate, up to the
  ///   burst, by the clock of the server. Those of a cancelled request are given back.
  /// - Waiting counts towards ``/Freshet/Request/Timeouts/total``. A request that would wait for longer
  ///   takes no token, is not sent and fails at once with
  ///   ``/Freshet/FreshetError/ConnectionFailure/suspended(for:)``, which has the wait that it would have taken. Such
  ///   a failure is not retried.
  /// - A `Retry-After` of a 429 or 503 that one process gets is kept by all, for an hour at most, and for the
  ///   host that has answered. Requests that wait for their tokens already are delayed by the pause, in the
  ///   same order and with the same distances.
  /// - Where the server does not answer in time, the same limit applies to this process alone.
  /// - Around the transport, each attempt takes a token. Redirects within the transport take none.
  ///
  /// - Parameters:
  ///   - rate: The rate for each host; the same in all processes.
  ///   - clock: The clock that waits; the system's by default.
  /// - Returns: An interceptor.
  public func limiter(
    _ rate: RequestLimits.Rate,
    clock: any Clock<Duration> = ContinuousClock()
  ) -> SharedLimiter {
    SharedLimiter(self, rate, clock)
  }
}

private struct Reservation {
  /// The time until it may be used, at the time of the reservation.
  var wait = Duration.zero
  /// The sum of the delays of the host's tokens, at the time of the reservation.
  var delay = Duration.zero
  /// A Boolean value that indicates whether there was one within the time that the request has.
  var isReserved = false
}

/// The tokens of this process alone, by the same algorithm as in the server.
private final class LocalRates: Sendable {
  private struct Rate {
    /// The time at which the bucket is full but for the reserved tokens.
    var full: Duration
    /// The time up to which the host asks to be left alone.
    var till: Duration
    /// The sum of the delays of reserved tokens.
    var delay = Duration.zero
  }

  private let rate: RequestLimits.Rate
  private let elapsed: @Sendable () -> Duration
  private let state = Mutex(State())

  private struct State {
    var rates: [String: Rate] = [:]
    /// The number of hosts at which those without reserved tokens and pauses are removed.
    var limit = 256
  }

  init(_ rate: RequestLimits.Rate, elapsed: @escaping @Sendable () -> Duration) {
    self.rate = rate
    self.elapsed = elapsed
  }

  /// Reserves a token, unless it would take longer than a limit.
  func reserve(_ origin: String, within limit: Duration?) -> Reservation {
    state.withLock { state in
      let now = elapsed()
      if state.rates.count > state.limit {
        state.rates = state.rates.filter { max($1.full, $1.till) > now }
        state.limit = max(256, 2 * state.rates.count)
      }
      var own = state.rates[origin] ?? Rate(full: now, till: now)
      let full = max(own.full, own.till, now) + rate.interval
      let wait = max(.zero, full - rate.interval * rate.tokens - now, own.till - now)
      if let limit, wait > limit { return Reservation(wait: wait) }
      own.full = full
      state.rates[origin] = own
      return Reservation(wait: wait, delay: own.delay, isReserved: true)
    }
  }

  /// Gives a token back.
  func refund(_ origin: String) {
    state.withLock { state in
      guard var own = state.rates[origin] else { return }
      own.full -= rate.interval
      state.rates[origin] = own
    }
  }

  /// Delays the reserved tokens of a host by a pause, unless one that ends later does already.
  func pause(_ origin: String, for pause: Duration) {
    state.withLock { state in
      let now = elapsed()
      var own = state.rates[origin] ?? Rate(full: now, till: now)
      let delay = max(.zero, now + pause - max(own.till, now))
      if own.full > now { own.full += delay }
      own.till = max(own.till, now + pause)
      own.delay += delay
      state.rates[origin] = own
    }
  }

  /// The time until the end of a host's pause.
  func pause(of origin: String) -> Duration {
    state.withLock { max(.zero, ($0.rates[origin]?.till ?? .zero) - elapsed()) }
  }

  /// The sum of the delays of a host's tokens.
  func delay(of origin: String) -> Duration {
    state.withLock { $0.rates[origin]?.delay ?? .zero }
  }
}

extension RequestLimits.Rate {
  /// The time for one token; a month if none comes back.
  fileprivate var interval: Duration {
    .seconds(min(perSecond > 0 ? 1 / perSecond : .infinity, 30 * 86_400))
  }

  /// The number of tokens in a full bucket, whose product with the interval is a duration.
  fileprivate var tokens: Int { min(max(1, burst), 1 << 32) }
}
#endif
