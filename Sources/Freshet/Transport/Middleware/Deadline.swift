extension Transport {
  /// Limits the total time of each call.
  ///
  /// - Parameter total: The longest time; a shorter ``Request/Timeouts/total`` is kept.
  /// - Returns: A transport.
  public func deadline(_ total: Duration) -> some Transport {
    intercepted { request, next in
      var request = request
      request.timeouts.total = min(request.timeouts.total ?? total, total)
      return next(request)
    }
  }
}
