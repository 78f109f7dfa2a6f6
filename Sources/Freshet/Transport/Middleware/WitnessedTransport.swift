/// Sees one transfer from its beginning to its end.
///
/// One that is dropped before it has seen the end knows that nobody reads the transfer any more.
protocol TransferWitness: AnyObject {
  /// Sees an event, and returns what the reader gets in its place.
  func note(_ event: TransferEvent) -> TransferEvent

  /// Sees the failure that ends the transfer.
  func end(_ error: FreshetError)
}

/// A transport that has a witness for each transfer, made when it begins.
struct WitnessedTransport: Transport {
  /// What has a witness of its own.
  enum Scope {
    /// A call with its redirects and its attempts.
    case call
    /// Each hop: the redirects are followed outside.
    case hop
  }

  let base: any Transport
  /// The operator that makes it, for descriptions.
  let name: StaticString
  let scope: Scope
  /// Makes the witness; it may change the request, or refuse it.
  let attend: @Sendable (inout Request) throws(FreshetError) -> any TransferWitness

  func send(_ request: Request) -> Transfer {
    switch scope {
    case .call: Transfer(resolved: request) { Events(request: request, transport: self) }
    case .hop: Transfer(hops: request) { Events(request: $0, transport: self) }
    }
  }

  func addedFields(for request: Request) -> HTTPHeaders {
    base.addedFields(for: request)
  }
}

extension WitnessedTransport {
  private struct Events: AsyncIteratorProtocol {
    var request: Request
    let transport: WitnessedTransport
    private var witness: (any TransferWitness)?
    private var events: Transfer.Iterator?

    init(request: Request, transport: WitnessedTransport) {
      self.request = request
      self.transport = transport
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> TransferEvent? {
      if events == nil {
        witness = try transport.attend(&request)
        events = transport.base.send(request).makeAsyncIterator()
      }
      do {
        let event = try await events?.next(isolation: actor)
        guard let event, let witness else { return event }
        return witness.note(event)
      } catch {
        witness?.end(error)
        throw error
      }
    }
  }
}
