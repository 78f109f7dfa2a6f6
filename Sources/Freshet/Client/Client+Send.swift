import FreshetEssentials

extension Client {
  /// Sends a request, bypassing all stores, and delivers progress and the response with its body in memory.
  ///
  /// Every status is a value here. The response updates the stores: after an unsafe request without an
  /// error, the stored responses for its URL are removed, and those for the URLs in `Location` and
  /// `Content-Location` at the same origin, before the value is delivered (RFC 9111 section 4.4); a
  /// `HEAD` updates a stored response, or makes it expire (section 4.3.5). The only stored response is
  /// that of a `POST` that is declared to be the response to a `GET` of the same URL: it has a
  /// `max-age` or `Expires`, and a `Content-Location` equal to its target (RFC 9110 section 9.3.3).
  ///
  /// - Parameters:
  ///   - request: The request; a path such as `.get("users")` is resolved against
  ///     ``Configuration/baseURL``.
  ///   - limit: The largest body that is collected, in bytes; 64 MiB by default. A larger one fails
  ///     with ``FreshetError/limitExceeded(_:url:)``.
  /// - Returns: A cold sequence of events that ends after one value.
  public func send(_ request: Request, limit: Int = 64 << 20) -> ResponseSequence {
    responses(to: request, CallOptions { $0.bodyLimit = limit })
  }

  /// Sends a request with options of its own, such as retries, a demo's response or the use of the stores.
  ///
  /// ```swift
  /// let user = client.send(.get("users/7")) { $0.retry = .never }
  ///   .decode(User.self)
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request, as for ``send(_:limit:)``.
  ///   - options: A closure that changes the options. They begin with those of the request
  ///     (timeouts, redirects, limits, networks, priority, tags, omitted headers, cache identity).
  /// - Returns: A cold sequence of events that ends after one value. With ``CallOptions/cache`` it
  ///   has the guarantees of ``resource(_:policy:)``, and an error response is a value too.
  public func send(
    _ request: Request,
    options: (inout CallOptions) -> Void
  ) -> ResponseSequence {
    let chosen = CallOptions(of: request, options)
    return responses(to: request.with(chosen), chosen)
  }

  /// Returns the responses to a request to which its options were applied.
  func responses(
    to request: Request,
    _ options: CallOptions,
    savesModels: Bool = true
  ) -> ResponseSequence {
    responses(toPrepared: prepared(request), options, savesModels: savesModels)
  }

  /// Returns the responses to a request that is ``prepared(_:isEndless:)``.
  func responses(
    toPrepared request: Request,
    _ options: CallOptions,
    savesModels: Bool = true
  ) -> ResponseSequence {
    let clients = settings.configuration.policy
    let own = options.policy(beginningWith: clients)
    let models = savesModels ? settings.configuration.models : nil
    guard let policy = own, request.asksStores else {
      let transport = transport(for: options)
      let call = BypassingCall(
        request: request,
        transport: transport,
        limit: options.bodyLimit,
        keeper: keeper(of: request, own ?? clients, over: transport),
        models: models
      )
      return ResponseSequence(source: .sent(call))
    }
    let limit = max(0, options.bodyLimit)
    // One more byte distinguishes a body that is too long from one that just fits.
    let errorBodyLimit = limit == .max ? limit : limit + 1
    let fetch = FetchOptions(
      policy: policy,
      errorBodyLimit: errorBodyLimit,
      retry: options.retry
    )
    let call = CachingCall(
      request: request,
      limit: limit,
      stores: settings.stages.stores,
      models: models,
      resource: chain(prepared: request, stages(fetch, of: options)).settle()
    )
    return ResponseSequence(source: .stored(call))
  }

  /// Returns the stages of a call's fetch, with its own transport if a demo responds.
  private func stages(_ fetch: FetchOptions, of options: CallOptions) -> StageList {
    options.demo != nil
      ? settings.stages.make(fetch, over: transport(for: options, isOfFetch: true))
      : settings.stages.list(for: fetch)
  }
}

extension Client {
  /// Returns the writer of the response to a `POST`, for the stores that the policy allows.
  private func keeper(
    of request: Request,
    _ policy: ResourcePolicy,
    over transport: any Transport
  ) -> (@Sendable () -> PostKeeper)? {
    guard request.method == .post, !request.isIdentifiedWhole else { return nil }
    let configuration = settings.configuration
    let stores = configuration.stores(policy.persistence)
    guard !stores.isEmpty else { return nil }
    return { [stores, lifecycle = settings.lifecycle] in
      PostKeeper(
        stores,
        partition: configuration.partition,
        over: transport,
        now: configuration.now,
        of: lifecycle
      )
    }
  }
}

extension CallOptions {
  /// Makes the options of a request, changed by a closure.
  init(of request: Request, _ configure: (inout CallOptions) -> Void) {
    self.init()
    take(from: request)
    configure(&self)
  }

  private mutating func take(from request: Request) {
    timeouts = request.timeouts
    redirects = request.redirects
    limits = request.limits
    priority = request.priority
    tags = request.tags
    omittedHeaders = request.omittedHeaders
    cacheIdentity = request.cacheIdentity
    networks = request.networks
  }
}

extension Request {
  /// A Boolean value that indicates whether a call with ``CallOptions/cache`` uses the stores.
  ///
  /// A `GET` does, a request whose key includes its body, and a `HEAD` whose condition a stored
  /// response can answer. Any other `HEAD` is sent to the origin, and updates the stores.
  fileprivate var asksStores: Bool {
    guard method == .head else { return method == .get || isIdentifiedWhole }
    let directives = RequestDirectives(headers)
    return directives.isConditional && !directives.isForOrigin
  }
}
