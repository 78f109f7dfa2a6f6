/// The requests that one fetch sends: a HEAD, a revalidation, a download.
///
/// They share a session (``CallScope``) and the start time, from which ``Request/Timeouts/total`` counts.
final class FetchCall: Sendable {
  let scope = CallScope()
  let started = ContinuousClock.now
}
