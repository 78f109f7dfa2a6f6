import FreshetEssentials

/// The time that a call takes, without its waits for the network, which no timeout counts.
struct CallTimer: Sendable {
  private let clock: CallClock
  private let scope: CallScope?
  private let began: Duration
  /// The time that the call had waited for the network before.
  private let offline: Duration

  /// Starts for a request that has its scope.
  init(_ request: Request, by clock: CallClock) {
    self.clock = clock
    scope = request.scope
    began = clock.now
    offline = request.timeOffline
  }

  var elapsed: Duration { clock.now - began - (scope?.timeOffline ?? .zero) + offline }

  /// Returns the request with the rest of its total timeout.
  ///
  /// - Throws: ``FreshetError/timedOut(_:url:)`` if nothing is left.
  func remaining(of request: Request) throws(FreshetError) -> Request {
    guard let total = request.timeouts.total else { return request }
    let rest = total - elapsed
    guard rest > .zero else { throw .timedOut(.total, url: Redaction.shown(request.url)) }
    var request = request
    request.timeouts.total = rest
    return request
  }
}
