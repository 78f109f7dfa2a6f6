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
    sequence(of: endpoint, pages: nil)
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
  /// - Returns: A cold sequence of events with the guarantees of ``pages(_:next:limit:)``; pages
  ///   bypass the stores, whatever ``CallOptions/cache`` is.
  public func pages<Call: Endpoint>(
    _ endpoint: Call,
    next: PageStrategy
  ) -> CallSequence<Call.Output, Call.Failure> {
    sequence(of: endpoint, pages: next)
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
    var source: CallSequence<Call.Output, Call.Failure>.Source
    do {
      var request = try endpoint.request()
      request.headers = request.headers.merging(headers)
      var options = endpoint.options
      options.retry = options.retry ?? .never
      source = .one(responses(to: request, options, savesModels: false))
    } catch {
      source = .none(error)
    }
    return sequence(of: endpoint, from: source)
  }

  private func sequence<Call: Endpoint>(
    of endpoint: Call,
    pages: PageStrategy?
  ) -> CallSequence<Call.Output, Call.Failure> {
    sequence(of: endpoint, from: source(of: endpoint, pages: pages))
  }

  private func sequence<Call: Endpoint>(
    of endpoint: Call,
    from source: CallSequence<Call.Output, Call.Failure>.Source
  ) -> CallSequence<Call.Output, Call.Failure> {
    CallSequence(
      source: source,
      payload: { endpoint.payload },
      understand: { response async throws(CallError<Call.Failure>) in
        try await endpoint.understand(response)
      }
    )
  }

  private func source<Call: Endpoint>(
    of endpoint: Call,
    pages: PageStrategy?
  ) -> CallSequence<Call.Output, Call.Failure>.Source {
    do {
      let request = try endpoint.request()
      let options = endpoint.options
      guard let pages else { return .one(responses(to: request, options)) }
      let transport = transport(for: options)
      return .pages(self.pages(request, next: pages, limit: options.bodyLimit, over: transport))
    } catch {
      return .none(error)
    }
  }
}
