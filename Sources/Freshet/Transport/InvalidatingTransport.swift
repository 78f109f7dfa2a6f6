public import FreshetEssentials
import Synchronization

extension Transport {
  /// Invalidates stored responses after unsafe requests, and updates them after a `HEAD`; stores nothing.
  ///
  /// - A successful unsafe request (2xx or 3xx) removes the responses that are stored for its URL, for
  ///   the URL that answered, and for those in `Location` and `Content-Location` at the same origin
  ///   (RFC 9111 section 4.4), before the response's head is delivered.
  /// - Stores do not accept responses that were requested before, and later fetches do not join one
  ///   that began before.
  /// - A `HEAD` with status 200 updates the stored response unless it contradicts its validators or
  ///   length, and marks it as expired otherwise (section 4.3.5); the stored body stays. If the `HEAD`
  ///   forbids storing, the stored response is removed. Stored parts of a body are removed in both cases.
  /// - All other requests pass unchanged, as does a request whose ``Request/cacheIdentity`` declares it safe.
  /// - The failure of a store does not fail the transfer.
  ///
  /// ```swift
  /// let transport = DefaultTransport().invalidating([memory, disk])
  /// ```
  ///
  /// - Parameters:
  ///   - sources: The stores, and the seeds, which no longer answer for what has changed.
  ///   - coalescer: The registry of fetches in progress, see
  ///     ``_Concurrency/AsyncSequence/coalesce(in:label:)``; none by default.
  ///   - partition: The partition of the responses, see ``CacheKey``; `""` by default.
  ///   - now: A closure that returns the current time, for updated responses; the system's by default.
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

struct InvalidatingTransport: TransportDecorator {
  let base: any Transport
  let sources: [any ResourceSource]
  let coalescer: Coalescer?
  let partition: String
  let now: @Sendable () -> Date

  func send(_ request: Request) -> Transfer {
    let transfer = base.send(request)
    guard request.isUnsafe || request.method == .head && !request.changesNoStore else {
      return transfer
    }
    return transfer.mapExchanges { InvalidatingExchange($0, $1, self) }
  }

  /// Invalidates what an unsafe request has changed.
  func invalidate(after request: Request, _ head: ResponseHead) async {
    let time = now()
    for key in Invalidation.keys(after: request, head, partition: partition) {
      for source in sources {
        await source.invalidate(key, at: time)
      }
      // Afterwards: a fetch that missed the stores before this could join a shared one that is detached here.
      coalescer?.detach(coveredBy: key)
    }
  }
}

// MARK: - Exchange

/// Observes the heads of one exchange.
private final class InvalidatingExchange: Exchange {
  private let base: any Exchange
  private let transport: InvalidatingTransport
  private let requestTime: Date
  private let askedAt = EventInstant.now
  private let original: Request
  private let state: Mutex<State>

  private struct State {
    var request: Request
    var isRedirected = false
    /// A Boolean value that indicates whether what answers may be the original request, sent again.
    var mayRepeat = false
  }

  init(_ base: any Exchange, _ request: Request, _ transport: InvalidatingTransport) {
    self.base = base
    self.transport = transport
    original = request
    state = Mutex(State(request: request))
    requestTime = transport.now()
  }

  func next() async throws(FreshetError) -> TransferEvent? {
    let event = try await base.next()
    switch event {
    case .redirected(let redirect):
      let sent = await invalidate(after: redirect.head)
      state.withLock { state in
        state.request = sent
        if !redirect.target.hasSameOrigin(as: sent.url) { state.request.headers.remove(.host) }
        state.request.url = redirect.target
        state.request.method = redirect.method
        state.isRedirected = true
      }
    case .retrying:
      state.withLock { $0.mayRepeat = $0.isRedirected }
    case .head(let head):
      let sent = await invalidate(after: head)
      // Behind a retry, it may be the answer to the request that was redirected before.
      let isCertain = state.withLock { !$0.mayRepeat } || sent.url == head.url
      if sent.method == .head, head.status == .ok, isCertain { await update(after: sent, head) }
    default:
      break
    }
    return event
  }

  func cancel() {
    base.cancel()
  }

  /// Invalidates what the request has changed that was sent last, and returns that.
  private func invalidate(after head: ResponseHead) async -> Request {
    let (sent, mayRepeat) = state.withLock { ($0.request, $0.mayRepeat) }
    await transport.invalidate(after: sent, head)
    if mayRepeat { await transport.invalidate(after: original, head) }
    return sent
  }

  private func update(after request: Request, _ head: ResponseHead) async {
    let context = FetchContext(
      request: request,
      partition: transport.partition,
      added: transport.addedFields(for: request)
    )
    let headers = context.headers(behind: head)
    for source in transport.sources {
      await source.removeParts(of: context.key, for: headers) { whole in
        StoragePolicy.forbidsStoring(head) || Validation.contradicts(head, whole)
      }
      guard let found = await source.find(context.key, for: headers) else { continue }
      // The URL answers again, so that a stored error is outdated.
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
