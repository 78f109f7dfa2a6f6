import FreshetEssentials

/// Stores the response to one `POST` that bypasses the stores, if it is declared to be the response
/// to a later `GET` of the same URL: it has explicit freshness, and a `Content-Location` equal to
/// the target (RFC 9110 section 9.3.3).
final class PostKeeper {
  private let writers: [StoreWriter]
  private let partition: String
  private let transport: any Transport
  private let now: @Sendable () -> Date
  private let lifecycle: ClientLifecycle
  private let requestTime: Date
  private let askedAt = EventInstant.now
  /// The time at which the head was received, if the response is going to be stored.
  private var received: (time: Date, instant: EventInstant)?
  /// The work that the client waits for until the response is stored.
  private var work: ClientLifecycle.Work?

  init(
    _ stores: [any ResourceStore],
    partition: String,
    over transport: any Transport,
    now: @escaping @Sendable () -> Date,
    of lifecycle: ClientLifecycle
  ) {
    writers = stores.map { StoreWriter(store: $0, expiry: .http) }
    self.partition = partition
    self.transport = transport
    self.now = now
    self.lifecycle = lifecycle
    requestTime = now()
  }

  /// Takes the head of the response, which may be stored once its body has arrived.
  func note(_ head: ResponseHead, of request: Request) {
    guard head.status.isSuccess, DigestFields(whole: head).expectations.isEmpty,
      StoragePolicy.storability(of: head, for: request) == .storable
    else { return }
    received = (now(), .now)
    work = lifecycle.begin()
  }

  /// Stores the response, if it may be stored.
  ///
  /// - Returns: The decisions of the stores.
  func keep(
    _ head: ResponseHead,
    _ body: Data,
    of request: Request,
    _ metrics: TransferMetrics
  ) async -> Explanation {
    guard let received else { return Explanation() }
    defer { work = nil }
    let context = FetchContext(request: request, partition: partition).asking(transport)
    let response = StoredResponse(
      key: context.storageKey,
      varying: VaryingFields(response: head.headers, request: context.headers(behind: head)),
      head: head.withoutNotes(),
      body: ResourceBody(body),
      digest: nil,
      requestTime: requestTime,
      responseTime: received.time,
      knownAt: received.time,
      knownSince: received.instant,
      askedAt: askedAt,
      tags: request.tags
    )
    var step = Fetch.downloaded(
      Fetch.Downloaded(
        context: context,
        response: response,
        change: .replaced,
        transfer: TransferRecord(metrics),
        superseded: nil,
        explanation: Explanation()
      )
    )
    for writer in writers {
      // A store that fails does not fail the call.
      step = (try? await writer.write(step, since: askedAt, isLast: true)) ?? step
    }
    guard case .downloaded(let downloaded) = step else { return Explanation() }
    return downloaded.explanation
  }
}
