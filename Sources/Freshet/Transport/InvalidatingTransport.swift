public import Foundation
import Synchronization

extension Transport {
  /// Invalidates stored responses after unsafe requests, and updates them after a `HEAD`; stores
  /// nothing.
  ///
  /// - An unsafe request that was no error (2xx or 3xx) removes what is stored for its URL, for the URL
  ///   that answered, and for those that `Location` and `Content-Location` name at the same origin
  ///   (RFC 9111 section 4.4). It happens before the response's head is passed on.
  /// - What was asked for before that is not kept by a store any more, and who asks after it does not
  ///   join a fetch from before it.
  /// - A `HEAD` that is answered with 200 updates the stored response unless it contradicts that one's
  ///   validators or length, and lets it expire otherwise (section 4.3.5); its body stays. If the `HEAD`
  ///   says that nothing may be stored, the stored response is removed.
  /// - All else passes untouched, and so does a request whose ``Request/cacheIdentity`` declares it
  ///   safe.
  /// - A store that fails does not fail the transfer.
  ///
  /// ```swift
  /// let transport = DefaultTransport().invalidating([memory, disk])
  /// ```
  ///
  /// - Parameters:
  ///   - sources: What is kept right: stores, and seeds, which answer no more for what has changed.
  ///   - coalescer: The registry of fetches in progress, see
  ///     ``_Concurrency/AsyncSequence/coalesce(in:label:)``; none by default.
  ///   - partition: Whose responses, see ``CacheKey``; `""` by default.
  ///   - now: The time that is kept as an updated response's; the system's by default.
  /// - Returns: A transport.
  public func invalidating(
    _ sources: [any ResourceSource],
    coalescer: Coalescer? = nil,
    partition: String = "",
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> some Transport {
    InvalidatingTransport(
      base: self,
      sources: sources,
      coalescer: coalescer,
      partition: partition,
      now: now
    )
  }
}

struct InvalidatingTransport: Transport {
  let base: any Transport
  let sources: [any ResourceSource]
  let coalescer: Coalescer?
  let partition: String
  let now: @Sendable () -> Date

  func send(_ request: Request) -> Transfer {
    let transfer = base.send(request)
    guard request.isUnsafe || request.method == .head && !request.isRevalidation else {
      return transfer
    }
    // What follows redirects, or says that none is to be followed, is the transport below.
    return Transfer(request, isResolved: transfer.isResolved) { hop in
      InvalidatingExchange(transfer.exchangeInTurn(hop), hop, self)
    }
  }

  func addedFields(for request: Request) -> HTTPHeaders {
    base.addedFields(for: request)
  }
}

// MARK: - Exchange

/// Looks at the heads of one exchange.
private final class InvalidatingExchange: Exchange {
  private let base: any Exchange
  private let transport: InvalidatingTransport
  private let requestTime: Date
  private let askedAt = EventInstant.now
  private let request: Mutex<Request>

  init(_ base: any Exchange, _ request: Request, _ transport: InvalidatingTransport) {
    self.base = base
    self.transport = transport
    self.request = Mutex(request)
    requestTime = transport.now()
  }

  func next() async throws(FreshetError) -> TransferEvent? {
    let event = try await base.next()
    switch event {
    case .redirected(let redirect):
      let sent = request.withLock { request in
        defer {
          request.url = redirect.target
          request.method = redirect.method
        }
        return request
      }
      await invalidate(after: sent, redirect.head)
    case .head(let head):
      let sent = request.withLock { $0 }
      await invalidate(after: sent, head)
      if sent.method == .head, head.status == .ok { await update(after: sent, head) }
    default:
      break
    }
    return event
  }

  func cancel() {
    base.cancel()
  }

  private func invalidate(after request: Request, _ head: ResponseHead) async {
    let time = transport.now()
    for key in Invalidation.keys(after: request, head, partition: transport.partition) {
      for source in transport.sources {
        await source.invalidate(key, at: time)
      }
      // Afterwards: a fetch that has missed the stores before joins a shared one that is detached here.
      transport.coalescer?.detach(coveredBy: key)
    }
  }

  private func update(after request: Request, _ head: ResponseHead) async {
    let context = FetchContext(
      request: request,
      partition: transport.partition,
      added: transport.addedFields(for: request)
    )
    let headers = context.headers(behind: head)
    for source in transport.sources {
      guard let found = await source.find(context.key, for: headers) else { continue }
      // An error is over that something answers for.
      if found.isRefusal { try? await (source as? any ResourceStore)?.remove(found) }
      guard let stored = found.copyOfResource else { continue }
      let isSame = !Validation.contradicts(head, stored)
      guard let store = source as? any ResourceStore else {
        if !isSame { await source.invalidate(context.key, at: transport.now()) }
        continue
      }
      if StoragePolicy.forbidsStoring(head) {
        try? await store.remove(stored)
        continue
      }
      let response = isSame ? freshened(stored, by: head, headers) : stored.outdated()
      _ = try? await store.refresh(response.under(StoragePolicy.stored(response.head)))
    }
  }

  private func freshened(
    _ stored: StoredResponse,
    by head: ResponseHead,
    _ headers: HTTPHeaders
  ) -> StoredResponse {
    stored.freshened(
      by: head,
      for: headers,
      requestTime: requestTime,
      responseTime: transport.now(),
      askedAt: askedAt
    )
  }
}
