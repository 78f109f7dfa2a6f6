extension Transport {
  /// Tracks calls, so that they can be shown and cancelled from outside.
  ///
  /// A call runs from its first `next` until its end, or until its reader stops.
  ///
  /// - Parameter activity: The registry of the calls.
  /// - Returns: A transport.
  public func tracked(by activity: ClientActivity) -> some Transport {
    TrackedTransport(self, by: CallTracking(activity: activity))
  }
}

/// A transport whose calls are registered; an object, to which its transfers refer.
final class TrackedTransport: TransportDecorator {
  let base: any Transport
  private let tracking: CallTracking
  /// A Boolean value that indicates whether descriptions include it.
  let isShown: Bool

  init(_ base: any Transport, by tracking: CallTracking, isShown: Bool = true) {
    self.base = base
    self.tracking = tracking
    self.isShown = isShown
  }

  func send(_ request: Request) -> Transfer {
    var transfer = Transfer(request, isResolved: true, interruption: .within) { [self] in
      EventExchange(call($0).makeAsyncIterator())
    }
    transfer.tracking = self
    return transfer
  }

  /// Returns the transfer of one call, which is iterated once.
  ///
  /// It is that of the transport inside, which tells the activity itself: a layer around it would cost
  /// each step.
  func call(_ request: Request) -> Transfer {
    let call = TrackedCall(request, by: tracking)
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
