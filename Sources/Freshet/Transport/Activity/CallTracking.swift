/// Registers the calls of a transport with an activity.
final class CallTracking: Sendable {
  /// The activity and the lifecycle with which calls are registered.
  ///
  /// It has no reference to the transport, so that one that keeps requests is not kept by them.
  struct Registry: Sendable {
    let activity: ClientActivity
    /// The lifecycle of the client that makes the calls; a client that was shut down refuses them.
    var lifecycle: ClientLifecycle?
    /// A Boolean value that indicates whether the calls are parts of fetches, which are observed as a whole.
    var isOfFetch = false
  }

  let base: any Transport
  private let registry: Registry

  init(_ base: any Transport, in registry: Registry) {
    self.base = base
    self.registry = registry
  }

  /// The transfer of one call, which is iterated once.
  ///
  /// It is that of the transport inside, which tells the activity itself: a layer around it would cost
  /// each step.
  func transfer(of request: Request) -> Transfer {
    let call = TrackedCall(request, in: registry)
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
