import FreshetEssentials

/// Stores the response to a `POST` that bypasses the stores, if it is declared to be the response
/// to a later `GET` of the same URL: it has explicit freshness, and a `Content-Location` equal to
/// the target (RFC 9110 section 9.3.3).
final class PostKeeper: Sendable {
  let writers: [StoreWriter]
  let partition: String
  let transport: any Transport
  let now: @Sendable () -> Date
  let lifecycle: ClientLifecycle
  let requestTime: Date
  let askedAt = EventInstant.now

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

  /// Returns a Boolean value that indicates whether a response may be stored once its body has arrived.
  static func keeps(_ head: ResponseHead, of request: Request) -> Bool {
    head.status.isSuccess && DigestFields(whole: head).expectations.isEmpty
      && StoragePolicy.storability(of: head, for: request) == .storable
  }

  /// Stores a response whose head was received at this time.
  ///
  /// - Returns: The decisions of the stores.
  func keep(
    _ head: ResponseHead,
    _ body: Data,
    of request: Request,
    receivedAt responseTime: Date,
    knownSince: EventInstant,
    _ metrics: TransferMetrics
  ) async -> Explanation {
    let context = FetchContext(request: request, partition: partition).asking(transport)
    let response = StoredResponse(
      key: context.storageKey,
      varying: VaryingFields(response: head.headers, request: context.headers(behind: head)),
      head: head.withoutNotes(),
      body: ResourceBody(body),
      digest: nil,
      requestTime: requestTime,
      responseTime: responseTime,
      knownAt: responseTime,
      knownSince: knownSince,
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
