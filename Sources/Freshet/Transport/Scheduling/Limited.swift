extension Transport {
  /// Makes requests wait for the limits of a scheduler.
  ///
  /// - ``Request/priority`` decides which request is next, and rises with the waiting time, see
  ///   ``RequestScheduler``.
  /// - A request counts against the limits until its response is complete, has failed or is not read
  ///   any more. Each hop of a redirect counts for its own host.
  ///
  /// A client already has a scheduler in front of its transport. Use this for transports without a
  /// client, and for limits inside another decorator.
  ///
  /// - Parameter scheduler: The scheduler, which clients and other transports can share; a new one by
  ///   default.
  /// - Returns: A transport.
  public func limited(by scheduler: RequestScheduler = RequestScheduler()) -> some Transport {
    ScheduledTransport(base: self, scheduler: scheduler, turns: .eachHop)
  }
}
