/// The requests that one fetch sends: a HEAD, a validation, a download.
///
/// They share a session (``CallScope``) and the time of the first one, from which
/// ``Request/Timeouts/total`` counts.
final class FetchCall: Sendable {
  let scope = CallScope()
  let started = ContinuousClock.now
}
