/// Observes one transfer from its beginning to its end.
///
/// If it is released before the end, the reader has abandoned the transfer.
protocol TransferObserver: AnyObject {
  /// Observes an event, and returns the event for the reader.
  func note(_ event: TransferEvent) -> TransferEvent

  /// Observes the failure that ends the transfer.
  func end(_ error: FreshetError)
}

/// A transport that creates an observer for each transfer, when it begins.
struct ObservedTransport: TransportDecorator {
  /// The part of a call that gets an observer of its own.
  enum Scope {
    /// A whole call, with its redirects and attempts.
    case call
    /// Each hop; redirects are followed outside.
    case hop
  }

  let base: any Transport
  /// The name of the operator that creates this transport, for descriptions.
  let name: StaticString
  let scope: Scope
  /// Returns the fields that `attend` would add to a request; `nil` if it adds none.
  var added: (@Sendable (Request) -> HTTPHeaders)?
  /// Creates the observer; the closure may change the request, or refuse it by throwing.
  let attend: @Sendable (inout Request) throws(FreshetError) -> any TransferObserver

  func send(_ request: Request) -> Transfer {
    switch scope {
    case .call: Transfer(resolved: request) { Events(request: request, transport: self) }
    case .hop: Transfer(hops: request) { Events(request: $0, transport: self) }
    }
  }

  func addedFields(for request: Request) -> HTTPHeaders {
    let fields = base.addedFields(for: request)
    return added.map { fields.merging($0(request)) } ?? fields
  }
}

extension ObservedTransport {
  private struct Events: AsyncIteratorProtocol {
    var request: Request
    let transport: ObservedTransport
    var witness: (any TransferObserver)?
    var events: Transfer.Iterator?

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
