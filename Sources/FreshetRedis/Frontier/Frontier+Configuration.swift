#if Redis && !canImport(Darwin)
extension Frontier {
  /// The limits of a frontier's work; all workers should have the same.
  public struct Configuration: Sendable {
    /// The time after which the requests of a worker that is not heard of any more are taken over; a minute
    /// by default.
    ///
    /// A worker renews its lease three times as often, however long a request takes.
    public var lease: Duration = .seconds(60)
    /// The number of attempts after which a request is dead; 3 by default.
    ///
    /// An attempt begins when the worker has confirmed that it received the request. One that ended with its
    /// worker counts; one that was given back does not. A request is dead at once after a failure that another
    /// attempt would repeat: a status that is not transient (``/Freshet/FreshetError/isTransient``) without a
    /// `Retry-After`, a limit that its response exceeds, a redirect that is not followed, or a request that is not
    /// sent.
    public var attemptLimit = 3
    /// The pause before the second attempt; 5 seconds by default.
    ///
    /// Each further one is twice as long. One after a response with a longer `Retry-After` lasts as long as that
    /// says, an hour at most.
    public var retryPause: Duration = .seconds(5)
    /// The longest time that an operation such as ``Frontier/progress()`` waits for the server; 10 seconds
    /// by default.
    ///
    /// Runs wait for any time.
    public var timeout: Duration = .seconds(10)

    /// Makes the default configuration.
    public init() {}
  }
}
#endif
