/// A transport whose exchanges wait for permits.
struct ScheduledTransport: TransportDecorator {
  /// The unit that needs a permit.
  enum Turns {
    /// Each hop; redirects are followed outside.
    case eachHop
    /// Each exchange of the inner transport, which is a hop, or a call that it resolves itself.
    case eachExchange
  }

  let base: any Transport
  let scheduler: RequestScheduler
  let turns: Turns

  func send(_ request: Request) -> Transfer {
    var transfer =
      switch turns {
      case .eachHop: Transfer(hops: request) { [base] in base.send($0).makeAsyncIterator() }
      case .eachExchange: base.send(request)
      }
    // Another scheduler's permit is waited for behind this one's.
    if transfer.scheduler != nil { transfer = transfer.nested() }
    transfer.scheduler = scheduler
    return transfer
  }
}
