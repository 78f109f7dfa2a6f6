/// How the calls of a transport become calls of an activity.
final class CallTracking: Sendable {
  let base: any Transport
  let activity: Activity

  init(base: any Transport, activity: Activity) {
    self.base = base
    self.activity = activity
  }

  /// The transfer of one call, which is iterated once.
  ///
  /// It is that of the transport inside, which tells the activity itself: a layer around it would cost
  /// each step.
  func transfer(of request: Request) -> Transfer {
    let call = TrackedCall(request, in: activity)
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
