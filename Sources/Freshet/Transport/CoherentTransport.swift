public import Foundation
import Synchronization

extension Transport {
  /// Keeps stores right about what passes, without storing anything.
  ///
  /// - An unsafe request that was no error (2xx or 3xx) removes what is stored for its URL, for the URL
  ///   that answered, and for those that `Location` and `Content-Location` name at the same origin
  ///   (RFC 9111 section 4.4). It happens before the response's head is passed on.
  /// - A `HEAD` that is answered with 200 updates the stored response if its validators are the same,
  ///   and lets it expire otherwise (section 4.3.5); its body stays.
  /// - All else passes untouched, and so does a request whose ``Request/cacheIdentity`` declares it
  ///   safe.
  /// - A store that fails does not fail the transfer.
  ///
  /// ```swift
  /// let transport = DefaultTransport().keeping([memory, disk])
  /// ```
  ///
  /// - Parameters:
  ///   - sources: What is kept right: stores, and seeds, which answer no more for what has changed.
  ///   - partition: Whose responses, see ``CacheKey``; `""` by default.
  ///   - now: The time that is kept as an updated response's; the system's by default.
  /// - Returns: A transport.
  public func keeping(
    _ sources: [any ResourceSource],
    partition: String = "",
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> some Transport {
    CoherentTransport(base: self, sources: sources, partition: partition, now: now)
  }
}

struct CoherentTransport: Transport {
  let base: any Transport
  let sources: [any ResourceSource]
  let partition: String
  let now: @Sendable () -> Date

  func send(_ request: Request) -> Transfer {
    let transfer = base.send(request)
    let isUnsafe = !request.method.isSafe && !request.isIdentifiedWhole
    guard isUnsafe || request.method == .head else { return transfer }
    // What follows redirects, or says that none is to be followed, is the transport below.
    return Transfer(request, isResolved: transfer.isResolved) { hop in
      CoherentExchange(transfer.exchange(hop), hop, self)
    }
  }
}

// MARK: - Exchange

/// Looks at the heads of one exchange.
private final class CoherentExchange: Exchange {
  private let base: any Exchange
  private let transport: CoherentTransport
  private let requestTime: Date
  private let request: Mutex<Request>

  init(_ base: any Exchange, _ request: Request, _ transport: CoherentTransport) {
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
    for key in Invalidation.keys(after: request, head, partition: transport.partition) {
      for source in transport.sources {
        await source.invalidate(key)
      }
    }
  }

  private func update(after request: Request, _ head: ResponseHead) async {
    let key = CacheKey(request, partition: transport.partition)
    for source in transport.sources {
      guard let stored = await source.find(key, for: request.headers) else { continue }
      let isSame = Validation.isSame(head, as: stored)
      guard let store = source as? any ResourceStore else {
        if !isSame { await source.invalidate(key) }
        continue
      }
      let response = isSame ? freshened(stored, by: head, request) : stored.outdated()
      _ = try? await store.refresh(response.under(StoragePolicy.stored(response.head)))
    }
  }

  private func freshened(
    _ stored: StoredResponse,
    by head: ResponseHead,
    _ request: Request
  ) -> StoredResponse {
    stored.freshened(
      by: head,
      answering: request,
      requestTime: requestTime,
      responseTime: transport.now()
    )
  }
}
