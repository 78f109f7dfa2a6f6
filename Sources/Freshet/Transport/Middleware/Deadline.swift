extension Transport {
  /// Gives each call a time within which it must be complete.
  ///
  /// - Parameter total: The longest time; a shorter ``Request/Timeouts/total`` stays.
  /// - Returns: A transport.
  public func deadline(_ total: Duration) -> some Transport {
    intercepted { request, next in
      var request = request
      request.timeouts.total = min(request.timeouts.total ?? total, total)
      return next(request)
    }
  }
}
