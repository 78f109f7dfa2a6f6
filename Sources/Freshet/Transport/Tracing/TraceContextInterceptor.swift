/// Sends the trace of the current task on: `traceparent` and `tracestate` (W3C Trace Context, level 1).
///
/// ```swift
/// let client = Client { $0.transport = DefaultTransport().intercepted(by: TraceContextInterceptor()) }
/// ```
///
/// - The parent is ``TraceContext/current`` of the task in which the request is sent. Around the transport
///   each attempt gets an id of its own; among ``Client/Configuration/interceptors`` all attempts of a call
///   share one. The hops of a redirect share one.
/// - A request that has a `traceparent` of its own is left alone.
/// - Fetches that share a transfer send the trace of the one that began it.
public struct TraceContextInterceptor: Interceptor {
  /// The context of requests that belong to no trace.
  public enum Root: Sendable, Hashable {
    /// Nothing.
    case none
    /// A trace of its own.
    case newTrace(isSampled: Bool)
  }

  private let root: Root
  private let generator: SharedGenerator

  /// Makes an interceptor.
  ///
  /// - Parameters:
  ///   - root: The context of a request outside of a trace; none by default.
  ///   - generator: The generator of ids; the system's by default.
  public init(
    outsideOfTraces root: Root = .none,
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.root = root
    self.generator = SharedGenerator(generator)
  }

  /// Describes the transfer of the request with the fields of the trace.
  public func intercept(
    _ request: Request,
    next: @escaping @Sendable (Request) -> Transfer
  ) -> Transfer {
    guard !request.headers.contains(TraceContext.parentField) else { return next(request) }
    // The trace is that of the task that reads, and each reading has an id of its own.
    return Transfer(resolved: request) {
      var request = request
      if let fields = headers() { request.headers = request.headers.merging(fields) }
      return next(request).makeAsyncIterator()
    }
  }

  /// The fields of the next attempt.
  private func headers() -> HTTPHeaders? {
    var generator = generator
    if let current = TraceContext.current { return current.child(using: &generator).headers }
    switch root {
    case .none: return nil
    case .newTrace(let isSampled):
      return TraceContext(isSampled: isSampled, using: &generator).headers
    }
  }
}
