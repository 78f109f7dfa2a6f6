/// Registers the calls of a transport with an activity.
final class CallTracking: Sendable {
  let base: any Transport
  let activity: ClientActivity
  /// The lifecycle of the client that makes the calls; a client that was shut down refuses them.
  let lifecycle: ClientLifecycle?
  /// A Boolean value that indicates whether the calls are parts of fetches, which are observed as a whole.
  let isOfFetch: Bool

  init(
    base: any Transport,
    activity: ClientActivity,
    lifecycle: ClientLifecycle?,
    isOfFetch: Bool
  ) {
    self.isOfFetch = isOfFetch
    self.base = base
    self.activity = activity
    self.lifecycle = lifecycle
  }

  /// The transfer of one call, which is iterated once.
  ///
  /// It is that of the transport inside, which tells the activity itself: a layer around it would cost
  /// each step.
  func transfer(of request: Request) -> Transfer {
    let call = TrackedCall(request, by: self)
    var request = request
    request.call = call
    var transfer = base.send(request)
    if transfer.tracking != nil {
      transfer = Transfer(resolved: request) { [transfer] in transfer.makeAsyncIterator() }
    }
    transfer.tracked = call
    return transfer
  }
}
