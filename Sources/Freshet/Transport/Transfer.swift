/// A cold sequence of ``TransferEvent``s for one request, pulled by its reader.
///
/// - Nothing is sent before the first `next`; each iterator sends the request once.
/// - A slow reader slows the socket; the transport bounds the buffer in between.
/// - Redirects are followed as ``Request/redirects`` says; each one is reported as an event.
/// - Cancelling the task, or releasing the iterator, ends the transfer.
/// - It ends after `finished`, or throws once.
public struct Transfer: AsyncSequence, Sendable {
  private(set) var request: Request
  var exchange: @Sendable (Request) -> any Exchange
  /// A Boolean value that indicates whether the source of the events has validated the request and
  /// followed redirects.
  let isResolved: Bool
  /// The transport that registers the call with an activity when the iteration begins.
  var tracking: TrackedTransport?
  /// The call that begins and ends with it.
  var tracked: TrackedCall?
  /// The way to end a waiting step from outside of its task.
  var interruption = Interruption.byTask
  /// The scheduler whose permits the exchanges need, if they do.
  var scheduler: RequestScheduler?

  /// The way to end a waiting step of an exchange from outside of its task.
  enum Interruption {
    /// By ``Exchange/cancel()``, which may come from any thread at any time.
    case byExchange
    /// By what it consists of: other transfers, and waits of a call.
    case within
    /// By the cancellation of its task, as nothing else is known of it.
    case byTask
  }

  /// Creates a transfer from a closure that starts exchanges.
  ///
  /// - Parameters:
  ///   - request: The request, which is validated before the first exchange.
  ///   - exchange: A closure that starts an exchange; called once for the request and once for each redirect.
  public init(_ request: Request, exchange: @escaping @Sendable (Request) -> any Exchange) {
    self.init(request, isResolved: false, exchange: exchange)
  }

  init(
    _ request: Request,
    isResolved: Bool,
    interruption: Interruption = .byTask,
    exchange: @escaping @Sendable (Request) -> any Exchange
  ) {
    self.request = request
    self.exchange = exchange
    self.isResolved = isResolved
    self.interruption = interruption
  }

  /// Creates an iterator; nothing is sent yet.
  public consuming func makeAsyncIterator() -> Iterator {
    if let tracking, scheduler == nil {
      return Iterator(Execution(tracking.call(request)))
    }
    return Iterator(Execution(self))
  }

  /// Returns the transfer with each of its exchanges changed by a closure.
  func mapExchanges(
    _ change: @escaping @Sendable (any Exchange, Request) -> any Exchange
  ) -> Transfer {
    var transfer = self
    // A tracked transfer would begin its call without the exchange; the exchange tracks it as well.
    transfer.tracking = nil
    transfer.exchange = { [exchange] in change(exchange($0), $0) }
    return transfer
  }

  /// Returns a transfer whose exchanges are transfers like this one, each of which has permits of its own.
  func nested() -> Transfer {
    Transfer(request, isResolved: isResolved, interruption: .within) { [self] request in
      var transfer = self
      transfer.request = request
      // Redirects are followed outside.
      if !isResolved { transfer.request.redirects.maximumCount = 0 }
      return EventExchange(transfer.makeAsyncIterator())
    }
  }
}

extension Transfer: PipelineDescribable, CustomStringConvertible {
  /// The request, without user, password, query and fragment.
  package var words: PipelineDescription { PipelineDescription("\(request)") }
}
