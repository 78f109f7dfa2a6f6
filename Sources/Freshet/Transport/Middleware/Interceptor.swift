/// A step between a call and the network: it can change the request, answer it, send it any number of
/// times, or change the response.
///
/// The order of decoration decides what it sees: around `retrying` each call once, inside it each attempt.
///
/// ```swift
/// let transport = wire
///   .intercepted(by: TracingInterceptor())   // each attempt
///   .retrying(.standard)
///   .intercepted { request, next in          // each call
///     next(request).mapEvents { event in event }
///   }
/// ```
///
/// A response whose head has another URL than the request counts as redirected: an interceptor that changes the URL
/// sets ``ResponseHead/url`` to that of its request, so that the stores reuse the response.
///
/// `intercept` is called when the transfer is created. Its effects must be cold, see
/// ``Transfer/init(_:preparing:)`` and ``Transfer/init(response:body:)``.
public protocol Interceptor: Sendable {
  /// Returns a transfer for a request.
  ///
  /// - Parameters:
  ///   - request: The request, as changed by the outer interceptors.
  ///   - next: A closure that returns the transfer of a request by the inner interceptors and the
  ///     transport. Each call is a separate transfer.
  /// - Returns: The transfer for the caller.
  func intercept(
    _ request: Request,
    next: @escaping @Sendable (Request) -> Transfer
  ) -> Transfer

  /// Returns the header fields that the interceptor would add to a request, see
  /// ``Transport/addedFields(for:)``.
  ///
  /// An interceptor that adds a credential should return it. A response to an `Authorization` that is missing
  /// here is only shared and stored for others if it is `public`, and one whose `Vary` names a missing field
  /// is neither.
  ///
  /// - Parameter request: The request, as changed by the outer interceptors.
  /// - Returns: The fields; none by default.
  func addedFields(for request: Request) -> HTTPHeaders
}

extension Interceptor {
  /// Returns no fields.
  public func addedFields(for request: Request) -> HTTPHeaders { HTTPHeaders() }
}

extension Transport {
  /// Passes each request through interceptors.
  ///
  /// - Parameter interceptors: The interceptors, outermost first: the first one sees the request first
  ///   and the events last.
  /// - Returns: A transport.
  public func intercepted(by interceptors: any Interceptor...) -> some Transport {
    InterceptedTransport(base: self, interceptors: interceptors)
  }

  /// Passes each request through a closure.
  ///
  /// - Parameter intercept: A closure that works like ``Interceptor/intercept(_:next:)``.
  /// - Returns: A transport.
  public func intercepted(
    by intercept:
      @escaping @Sendable (Request, @escaping @Sendable (Request) -> Transfer)
      -> Transfer
  ) -> some Transport {
    InterceptedTransport(base: self, interceptors: [ClosureInterceptor(closure: intercept)])
  }
}

struct InterceptedTransport: TransportDecorator {
  let base: any Transport
  let interceptors: [any Interceptor]

  func send(_ request: Request) -> Transfer {
    send(request, through: interceptors[...])
  }

  private func send(_ request: Request, through rest: ArraySlice<any Interceptor>) -> Transfer {
    guard let interceptor = rest.first else { return base.send(request) }
    return interceptor.intercept(request) { inner in
      var inner = inner
      // A request of its own is a part of the same call.
      if inner.call == nil { inner.call = request.call }
      return send(inner, through: rest.dropFirst())
    }
  }

  func addedFields(for request: Request) -> HTTPHeaders {
    var inner = request
    var fields = HTTPHeaders()
    for interceptor in interceptors {
      let own = interceptor.addedFields(for: inner)
      if own.isEmpty { continue }
      inner.headers = inner.headers.merging(own)
      fields = fields.merging(own)
    }
    let further = base.addedFields(for: inner)
    return further.isEmpty ? fields : fields.merging(further)
  }
}

private struct ClosureInterceptor: Interceptor {
  let closure: @Sendable (Request, @escaping @Sendable (Request) -> Transfer) -> Transfer

  func intercept(
    _ request: Request,
    next: @escaping @Sendable (Request) -> Transfer
  ) -> Transfer {
    closure(request, next)
  }
}
