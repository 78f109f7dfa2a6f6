extension Transport {
  /// Adds credentials to requests for the configured origins, and renews them when they expire or are
  /// rejected.
  ///
  /// A request that is sent again with a new credential is announced by
  /// ``TransferEvent/retrying(attempt:after:because:)``. A body that cannot be replayed is not sent
  /// again: its 401 is delivered, and the credential is refreshed for the next request.
  ///
  /// Place it inside ``retrying(_:clock:generator:now:)``, so that each attempt is signed again. A
  /// renewal or a signature that uses the whole client does not wait for the scheduler's limit: the
  /// calls that hold its permits may be waiting for it.
  ///
  /// - Parameters:
  ///   - authenticator: The credential or the signature, and the origins that they are for.
  ///   - clock: The clock that measures ``Request/Timeouts/total`` while a request waits for a credential.
  /// - Returns: A transport.
  public func authenticated(
    by authenticator: Authenticator,
    clock: any Clock<Duration> = ContinuousClock()
  ) -> some Transport {
    AuthenticatedTransport(base: self, authenticator: authenticator, clock: CallClock(clock))
  }
}

struct AuthenticatedTransport: TransportDecorator {
  let base: any Transport
  let authenticator: Authenticator
  let clock: CallClock

  func send(_ request: Request) -> Transfer {
    // Each hop of a redirect can have another origin.
    Transfer(hops: request) { hop in
      Events(
        call: AuthenticatedCall(request: hop, transport: self),
        authenticator: authenticator
      )
    }
  }

  func addedFields(for request: Request) -> HTTPHeaders {
    var fields = base.addedFields(for: request)
    if !authenticator.isForProxy, authenticator.covers(request),
      let identity = authenticator.identity
    {
      fields[.authorization] = identity
    }
    return fields
  }
}

/// One hop of a call, and the time that is left for it.
struct AuthenticatedCall: Sendable {
  let request: Request
  let scope: CallScope
  let base: any Transport
  let timer: CallTimer
  private let clock: CallClock

  init(request: Request, transport: AuthenticatedTransport) {
    self.request = request
    scope = request.scope ?? CallScope()
    base = transport.base
    clock = transport.clock
    timer = CallTimer(request, by: clock)
  }

  /// Waits for a refresh until the call's total timeout.
  func wait(for refresh: Promise<Void>) async throws(FreshetError) {
    let url = Redaction.shown(request.url)
    do {
      try await request.waiting { [self] () async throws(FreshetError) in
        try await value(of: refresh)
      }
    } catch .unauthenticated(let reason, _) {
      throw .unauthenticated(reason, url: url)
    }
  }

  /// Waits for work, such as a signature, until the call's total timeout, which cancels it.
  func wait<Value: Sendable>(
    for work: @escaping @Sendable () async throws(FreshetError) -> Value
  ) async throws(FreshetError) -> Value {
    try await request.waiting { [self] () async throws(FreshetError) in
      guard request.timeouts.total != nil else { return try await work() }
      let outcome = Promise<Value>()
      let task = Task { outcome.settle(await Result.awaiting(work)) }
      defer { task.cancel() }
      return try await value(of: outcome)
    }
  }

  private func value<Value: Sendable>(
    of outcome: Promise<Value>
  ) async throws(FreshetError) -> Value {
    try await outcome.value(
      before: timer.deadline,
      by: clock,
      orThrow: .timedOut(.total, url: Redaction.shown(request.url))
    )
  }
}

extension AuthenticatedTransport {
  final class Events: AsyncIteratorProtocol {
    let call: AuthenticatedCall
    let authenticator: Authenticator
    var ticket: Authenticator.Ticket?
    /// The challenge that the request answers, if it is a login's.
    var turn: LoginChallenges.Turn?
    /// The challenge that the next attempt answers, if this one was challenged.
    var nextTurn: LoginChallenges.Turn?
    var events: Transfer.Iterator?
    var attempt = 1
    var mayAsk = true
    /// The number of challenges that may still be answered.
    var answersLeft = 2

    init(call: AuthenticatedCall, authenticator: Authenticator) {
      self.call = call
      self.authenticator = authenticator
    }

    func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> TransferEvent? {
      if events == nil { try await begin() }
      let received = try await events?.next(isolation: actor)
      let event = noted(received)
      guard case .head(let head) = event, let ticket else { return event }
      switch authenticator.verdict(on: head, of: call.request, ticket, turn) {
      case .pass:
        return event
      case .answer(let turn):
        guard answersLeft > 0, call.request.isReplayable else { return event }
        answersLeft -= 1
        // Before others take the first use of the nonce.
        nextTurn = turn ?? authenticator.nextTurn(for: call.request)
        try await leave(head)
        self.ticket = try authenticator.replacement(for: ticket, of: call)
        return again("status \(head.status); its challenge is answered")
      case .ask(let challenges):
        guard mayAsk else { return event }
        mayAsk = false
        let step = authenticator.react(to: ticket, challenges, for: call)
        guard call.request.isReplayable else { return event }
        switch step {
        case .pass:
          return event
        case .proceed(let replacement):
          try await leave(head)
          self.ticket = replacement
        case .wait(let refresh):
          // The refresh may need the connection that this response holds.
          try await leave(head)
          try await call.wait(for: refresh)
          self.ticket = try authenticator.replacement(for: ticket, of: call)
        }
        return again("status \(head.status); the credential is new")
      }
    }

    /// Notes the identity on the response, so that it is only stored for the same user.
    private func noted(_ event: TransferEvent?) -> TransferEvent? {
      guard let ticket, case .head(var head) = event else { return event }
      let identity = authenticator.identity(of: ticket)
      guard identity != nil || authenticator.isForProxy else { return event }
      var sent = head.notes.sent ?? call.request.headers
      head.notes.credential = sent[authenticator.field]
      if authenticator.isForProxy { sent.remove(.proxyAuthorization) }
      if let identity { sent[.authorization] = identity }
      head.notes.sent = sent
      head.notes.earlier.removeAll { $0.name == authenticator.field }
      return .head(head)
    }

    private func again(_ reason: String) -> TransferEvent {
      attempt += 1
      return .retrying(attempt: attempt, after: .zero, because: reason)
    }

    private func leave(_ head: ResponseHead) async throws(FreshetError) {
      try await events?.leave(after: head)
      events = nil
    }

    private func begin() async throws(FreshetError) {
      try authenticator.requireOrigins(for: call.request)
      guard authenticator.covers(call.request) else {
        events = call.base.send(call.request).makeAsyncIterator()
        return
      }
      let ticket: Authenticator.Ticket
      if let current = self.ticket {
        ticket = current
      } else {
        ticket = try await authenticator.ticket(for: call)
        self.ticket = ticket
      }
      let signed = try await authenticator.authorize(call, with: ticket, answering: nextTurn.take())
      turn = signed.turn
      let request = try call.timer.remaining(of: signed.request)
      events = call.base.send(request).makeAsyncIterator()
    }
  }
}
