extension Transport {
  /// Holds requests back until it is their turn.
  ///
  /// - A request's ``Request/priority`` decides who is next, and who waits long rises, see
  ///   ``RequestScheduler``.
  /// - A request has its place until its response is complete, has failed or is not read any more.
  ///   Each hop of a redirect takes a place at its own host.
  ///
  /// A client has a scheduler of its own in front of its transport; this is for transports that are
  /// used by themselves, and for limits that stand inside of another decorator.
  ///
  /// - Parameter scheduler: Whose limits, which clients and other transports may share.
  /// - Returns: A transport.
  public func limited(by scheduler: RequestScheduler = RequestScheduler()) -> some Transport {
    ScheduledTransport(base: self, scheduler: scheduler, turns: .eachHop)
  }
}
