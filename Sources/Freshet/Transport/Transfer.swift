/// A request on its way: a cold sequence of ``TransferEvent``s, pulled by its reader.
///
/// - Nothing is sent before the first `next`; each iterator sends once.
/// - A slow reader slows the socket; the buffer in between is bounded by the transport.
/// - Redirects are followed as ``Request/redirects`` says; each one followed is an event.
/// - Cancelling the task, or dropping the iterator, ends the transfer.
/// - It ends after `finished`, or throws once.
public struct Transfer: AsyncSequence, Sendable {
  let request: Request
  var exchange: @Sendable (Request) -> any Exchange
  /// Whether what makes the events has checked the request and followed the redirects already.
  let isResolved: Bool
  /// Whose turns its exchanges take.
  var scheduling = Scheduling.none

  /// Whose turns the exchanges of a transfer take; no optional, which would be dearer to look at.
  enum Scheduling {
    case none
    case by(RequestScheduler)
  }

  /// Makes a transfer from a way to do one exchange.
  ///
  /// - Parameters:
  ///   - request: What to send. It is validated before the first exchange.
  ///   - exchange: Starts an exchange; called once for the request and once for each redirect.
  public init(_ request: Request, exchange: @escaping @Sendable (Request) -> any Exchange) {
    self.request = request
    self.exchange = exchange
    isResolved = false
  }

  /// Makes a transfer whose events come as they are.
  init(resolved request: Request, exchange: @escaping @Sendable (Request) -> any Exchange) {
    self.init(request, isResolved: true, exchange: exchange)
  }

  init(
    _ request: Request,
    isResolved: Bool,
    exchange: @escaping @Sendable (Request) -> any Exchange
  ) {
    self.request = request
    self.exchange = exchange
    self.isResolved = isResolved
  }

  /// Makes an iterator; nothing is sent yet.
  public consuming func makeAsyncIterator() -> Iterator {
    Iterator(Course(request, isResolved: isResolved, scheduling, exchange))
  }
}

extension Transfer: Worded, CustomStringConvertible {
  /// The request, without user, password, query and fragment.
  public var description: String { words.description }

  package var words: PipelineWords { PipelineWords("\(request)") }
}
