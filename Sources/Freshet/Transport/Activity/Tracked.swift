extension Transport {
  /// Tracks calls, so that they can be shown and cancelled from outside.
  ///
  /// A call runs from its first `next` until its end, or until its reader stops.
  ///
  /// - Parameter activity: The registry of the calls.
  /// - Returns: A transport.
  public func tracked(by activity: ClientActivity) -> some Transport {
    TrackedTransport(self, in: CallTracking.Registry(activity: activity))
  }
}

struct TrackedTransport: TransportDecorator {
  private let tracking: CallTracking
  /// A Boolean value that indicates whether descriptions include it.
  let isShown: Bool

  init(_ base: any Transport, in registry: CallTracking.Registry, isShown: Bool = true) {
    tracking = CallTracking(base, in: registry)
    self.isShown = isShown
  }

  var base: any Transport { tracking.base }

  func send(_ request: Request) -> Transfer {
    var transfer = Transfer(request, isResolved: true, interruption: .within) { [tracking] in
      EventExchange(tracking.transfer(of: $0).makeAsyncIterator())
    }
    transfer.tracking = tracking
    return transfer
  }
}
