extension Transport {
  /// Holds requests back until their host, and all hosts together, have room for them.
  ///
  /// - A request's ``Request/priority`` decides who is next; within a priority it is first come,
  ///   first served, and who waits long rises, see ``RequestLimits/ageing``.
  /// - A request has its place until its response is complete, has failed or is not read any more.
  ///   Each hop of a redirect takes a place at its own host.
  /// - Waiting counts towards ``Request/Timeouts/total`` and ends at once with its task.
  ///
  /// - Parameter limiter: Whose limits, which other transports may share.
  /// - Returns: A transport.
  public func limited(by limiter: RequestLimiter) -> some Transport {
    LimitedTransport(base: self, limiter: limiter)
  }

  /// Holds requests back as a limiter of its own says, see ``limited(by:)``.
  ///
  /// - Parameters:
  ///   - limits: How many requests may run and begin.
  ///   - clock: What rates, ages and deadlines are measured with.
  /// - Returns: A transport whose copies share the limits.
  public func limited(
    _ limits: RequestLimits = .standard,
    clock: any Clock<Duration> = ContinuousClock()
  ) -> some Transport {
    limited(by: RequestLimiter(limits, clock: clock))
  }

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

struct LimitedTransport: Transport {
  let base: any Transport
  let limiter: RequestLimiter

  func send(_ request: Request) -> Transfer {
    Transfer(hops: request) { Events(request: $0, transport: self) }
  }

  func addedFields(for request: Request) -> HTTPHeaders {
    base.addedFields(for: request)
  }
}

extension LimitedTransport {
  struct Events: AsyncIteratorProtocol {
    let request: Request
    let transport: LimitedTransport
    var permit: RequestPermit?
    var events: Transfer.Iterator?

    init(request: Request, transport: LimitedTransport) {
      self.request = request
      self.transport = transport
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> TransferEvent? {
      do {
        if events == nil { try await begin() }
        let event = try await events?.next(isolation: actor)
        if case .finished = event { permit = nil }
        return event
      } catch {
        permit = nil
        throw error
      }
    }

    private mutating func begin() async throws(FreshetError) {
      let began = transport.limiter.moment
      permit = try await transport.limiter.permit(for: request)
      var request = request
      if let total = request.timeouts.total {
        request.timeouts.total = total - (transport.limiter.moment - began)
      }
      events = transport.base.send(request).makeAsyncIterator()
    }
  }
}
