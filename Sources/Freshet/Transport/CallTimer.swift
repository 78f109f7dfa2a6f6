import FreshetEssentials

/// The total timeout of a call, which does not run while the call waits for the network.
struct CallTimer: Sendable {
  private let clock: CallClock
  private let scope: CallScope?
  private let total: Duration?
  /// The time at which it was started, by a clock that stands still during those waits.
  private var began = Duration.zero

  /// Starts for a request that has its scope.
  init(_ request: Request, by clock: CallClock) {
    self.clock = clock
    scope = request.scope
    total = request.timeouts.total
    began = elapsed
  }

  /// The time that the call has taken.
  var elapsed: Duration { clock.now - (scope?.timeOffline ?? .zero) - began }

  /// The time that is left; `nil` without a limit.
  var rest: Duration? { total.map { $0 - elapsed } }

  /// The time at which nothing is left, unless the call waits for the network until then.
  var deadline: Duration? { rest.map { clock.now + $0 } }

  /// Returns a request of the call with the time that is left as its total timeout, or with its own if that is
  /// shorter.
  ///
  /// - Throws: ``FreshetError/timedOut(_:url:)`` if nothing is left.
  func remaining(of request: Request) throws(FreshetError) -> Request {
    guard let rest else { return request }
    guard rest > .zero else { throw .timedOut(.total, url: Redaction.shown(request.url)) }
    var request = request
    request.timeouts.total = min(rest, request.timeouts.total ?? rest)
    return request
  }
}
