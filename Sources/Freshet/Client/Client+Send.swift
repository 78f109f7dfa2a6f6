import Foundation

extension Client {
  /// Sends a request past all stores: progress, and the response with its body in memory.
  ///
  /// Any status is a value here. The stores learn of it: an unsafe request that was no error removes
  /// what is stored for its URL and for those that `Location` and `Content-Location` name at the same
  /// origin, before the value comes (RFC 9111 section 4.4); a `HEAD` brings a stored response up to date,
  /// or lets it expire (section 4.3.5). Nothing is stored but what a `POST` gets whose response says that
  /// a `GET` of the same URL would get it: it has a `max-age` or `Expires`, and a `Content-Location` equal
  /// to its target (RFC 9110 section 9.3.3).
  ///
  /// - Parameters:
  ///   - request: What to send; a path such as `.get("users")` is resolved against
  ///     ``Configuration/baseURL``.
  ///   - limit: The largest body that is collected, in bytes; 64 MiB by default. A larger one fails
  ///     with ``FreshetError/limitExceeded(_:url:)``.
  /// - Returns: A cold sequence of events that ends after one value.
  public func send(_ request: Request, limit: Int = 64 << 20) -> ResponseSequence {
    responses(to: request, CallOptions { $0.bodyLimit = limit })
  }

  /// Sends a request as its options say: with retries, a demo's answer or a way through the stores of
  /// its own.
  ///
  /// ```swift
  /// let user = client.send(.get("users/7")) { $0.retry = .never }
  ///   .decode(User.self)
  /// ```
  ///
  /// - Parameters:
  ///   - request: What to send, as for ``send(_:limit:)``.
  ///   - options: Changes how. What a request says itself (timeouts, redirects, limits, priority,
  ///     tags, omitted headers) is there to begin with.
  /// - Returns: A cold sequence of events that ends after one value. With ``CallOptions/cache`` it has
  ///   the guarantees of ``resource(_:policy:)``, and an error response is a value too.
  public func send(
    _ request: Request,
    options: (inout CallOptions) -> Void
  ) -> ResponseSequence {
    let chosen = CallOptions {
      $0.take(from: request)
      options(&$0)
    }
    return responses(to: request.with(chosen), chosen)
  }

  /// The responses to a request that has its options already.
  func responses(to request: Request, _ options: CallOptions) -> ResponseSequence {
    guard let policy = options.cache, request.asksStores else {
      let transport = transport(for: options)
      let call = SentCall(
        prepared(request),
        over: transport,
        limit: options.bodyLimit,
        keeper: keeper(of: request, options, over: transport)
      )
      return ResponseSequence(source: .sent(call))
    }
    let call = StoredCall(request: prepared(request), limit: options.bodyLimit) { errorBodyLimit in
      chain(for: request, policy: policy, options, errorBodyLimit: errorBodyLimit).settle()
    }
    return ResponseSequence(source: .stored(call))
  }
}

extension Client {
  /// What keeps the response to a `POST`, in the stores that the policy names.
  private func keeper(
    of request: Request,
    _ options: CallOptions,
    over transport: any Transport
  ) -> (@Sendable () -> PostKeeper)? {
    guard request.method == .post, !request.isIdentifiedWhole else { return nil }
    let configuration = settings.configuration
    let persistence = (options.cache ?? configuration.policy).persistence
    var stores: [any ResourceStore] = []
    if persistence == .everywhere, let disk = configuration.disk { stores.append(disk) }
    if persistence != .nowhere, let memory = configuration.memory { stores.append(memory) }
    guard !stores.isEmpty else { return nil }
    return { [stores] in
      PostKeeper(
        stores,
        partition: configuration.partition,
        over: transport,
        now: configuration.now
      )
    }
  }
}

extension CallOptions {
  fileprivate mutating func take(from request: Request) {
    timeouts = request.timeouts
    redirects = request.redirects
    limits = request.limits
    priority = request.priority
    tags = request.tags
    omittedHeaders = request.omittedHeaders
  }
}

extension Request {
  /// Whether a call with ``CallOptions/cache`` goes through the stores.
  ///
  /// A `GET` does, and a `HEAD` that asks whether its sender has what is stored. Any other `HEAD` asks
  /// the origin, and brings the stores up to date.
  fileprivate var asksStores: Bool {
    let directives = method == .head ? RequestDirectives(headers) : nil
    return method == .get || directives?.isConditional == true && directives?.isForOrigin == false
  }
}
