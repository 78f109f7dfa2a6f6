import FreshetEssentials

extension Client {
  /// Calls a service, and delivers progress and the response with its decoded body.
  ///
  /// ```swift
  /// let user = try await client.call(ShowUser(id: 7)).output
  /// ```
  ///
  /// - Parameter endpoint: The endpoint; relative to ``Configuration/baseURL``.
  /// - Returns: A cold sequence of events that ends after one value. An endpoint that makes no
  ///   valid request fails it with ``FreshetError/invalidRequest(_:url:)`` when it is iterated.
  public func call<Call: Endpoint>(_ endpoint: Call) -> CallSequence<Call.Output, Call.Failure> {
    sequence(of: endpoint) { .one(responses(to: $0, $1)) }
  }

  /// Calls a service page by page: it delivers one response for each page, requested on demand.
  ///
  /// ```swift
  /// for try await event in client.pages(ListUsers(), next: .link) { … }
  /// ```
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint of the first page; relative to ``Configuration/baseURL``.
  ///   - next: The strategy that finds the following ones.
  /// - Returns: A cold sequence of events with the guarantees of ``pages(_:next:limit:)``; the
  ///   options of the endpoint are those of each page, see ``pages(_:next:options:)``.
  public func pages<Call: Endpoint>(
    _ endpoint: Call,
    next: PageStrategy
  ) -> CallSequence<Call.Output, Call.Failure> {
    sequence(of: endpoint) { request, options in
      .pages(pages(request, next: next, options))
    }
  }

  /// Calls a service once, with further header fields, and saves none of the models in its output.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint; its own retry policy counts, and the client's does not.
  ///   - headers: Fields that replace those of the endpoint.
  /// - Returns: A cold sequence of events.
  package func call<Call: Endpoint>(
    unsaved endpoint: Call,
    adding headers: HTTPHeaders
  ) -> CallSequence<Call.Output, Call.Failure> {
    sequence(of: endpoint) { request, options in
      var (request, options) = (request, options)
      request.headers = request.headers.merging(headers)
      options.retry = options.retry ?? .never
      return .one(responses(to: request, options, savesModels: false))
    }
  }

  private func sequence<Call: Endpoint>(
    of endpoint: Call,
    from source: (Request, CallOptions) -> CallSequence<Call.Output, Call.Failure>.Source
  ) -> CallSequence<Call.Output, Call.Failure> {
    let responses: CallSequence<Call.Output, Call.Failure>.Source
    do {
      responses = source(try endpoint.request(), endpoint.options)
    } catch {
      responses = .none(error)
    }
    return CallSequence(
      source: responses,
      payload: { endpoint.payload },
      understand: { response async throws(CallError<Call.Failure>) in
        try await endpoint.understand(response)
      }
    )
  }
}
