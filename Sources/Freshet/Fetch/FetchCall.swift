/// The requests that one fetch sends: a HEAD, a revalidation, a download.
///
/// They share a session (``CallScope``) and the start time, from which ``Request/Timeouts/total`` counts.
final class FetchCall: Sendable {
  let scope = CallScope()
  private let started = ContinuousClock.now

  /// Returns a request of the call, with the time that is left of the whole.
  func timed(_ request: Request) -> Request {
    var request = request
    request.scope = scope
    if let total = request.timeouts.total {
      let rest = total + request.timeOffline - started.duration(to: .now)
      request.timeouts.total = max(rest, .milliseconds(1))
    }
    return request
  }
}
