/// Something that stands between a call and the network: it may change the request, answer it
/// itself, send it any number of times, or change what comes back.
///
/// Where it stands is the order of decoration: around `retrying` it sees each call once, below it
/// each attempt.
///
/// ```swift
/// let transport = wire
///   .intercepted(by: SigningInterceptor())   // each attempt
///   .retrying(.standard)
///   .intercepted { request, next in          // each call
///     next(request).mapEvents { event in event }
///   }
/// ```
///
/// An interceptor is called when the transfer is made; whatever it does must be cold, see
/// ``Transfer/init(_:preparing:)`` and ``Transfer/init(response:body:)``.
public protocol Interceptor: Sendable {
  /// Describes the transfer of a request.
  ///
  /// - Parameters:
  ///   - request: The request as it comes from outside.
  ///   - next: Describes the transfer of a request by what stands further inside; each call is a
  ///     sending of its own.
  /// - Returns: What the caller gets.
  func intercept(
    _ request: Request,
    next: @escaping @Sendable (Request) -> Transfer
  ) -> Transfer

  /// The header fields that it would add to a request, see ``Transport/addedFields(for:)``.
  ///
  /// A response whose `Vary` names a field that is added and not told here is not stored.
  ///
  /// - Parameter request: The request as it comes from outside.
  /// - Returns: The fields; none by default.
  func addedFields(for request: Request) -> HTTPHeaders
}

extension Interceptor {
  /// No fields.
  public func addedFields(for request: Request) -> HTTPHeaders { HTTPHeaders() }
}

extension Transport {
  /// Lets interceptors see each request that passes here.
  ///
  /// - Parameter interceptors: The first is outermost: it sees the request first and the events
  ///   last.
  /// - Returns: A transport.
  public func intercepted(by interceptors: any Interceptor...) -> some Transport {
    InterceptedTransport(base: self, interceptors: interceptors)
  }

  /// Lets a closure see each request that passes here.
  ///
  /// - Parameter intercept: As ``Interceptor/intercept(_:next:)``.
  /// - Returns: A transport.
  public func intercepted(
    by intercept:
      @escaping @Sendable (Request, @escaping @Sendable (Request) -> Transfer)
      -> Transfer
  ) -> some Transport {
    InterceptedTransport(base: self, interceptors: [ClosureInterceptor(closure: intercept)])
  }
}

struct InterceptedTransport: Transport {
  let base: any Transport
  let interceptors: [any Interceptor]

  func send(_ request: Request) -> Transfer {
    send(request, through: interceptors[...])
  }

  private func send(_ request: Request, through rest: ArraySlice<any Interceptor>) -> Transfer {
    guard let interceptor = rest.first else { return base.send(request) }
    return interceptor.intercept(request) { send($0, through: rest.dropFirst()) }
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
