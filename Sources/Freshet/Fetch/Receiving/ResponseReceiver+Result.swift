import FreshetEssentials

extension ResponseReceiver {
  /// Returns the step for a received response.
  func downloaded(
    _ head: consuming ResponseHead,
    _ body: consuming ResourceBody,
    _ digest: SHA256Checksum?,
    _ transfer: TransferRecord
  ) -> Fetch.Downloaded {
    let explanation = explanation.adding(.downloaded(bytes: body.length, transfer.metrics))
    return Fetch.Downloaded(
      context: context,
      response: StoredResponse(
        key: context.storageKey,
        varying: varying,
        head: head,
        body: body,
        digest: digest,
        requestTime: requestTime,
        responseTime: responseTime,
        // The response to a change includes its effects.
        knownAt: context.request.isUnsafe ? responseTime : requestTime,
        knownSince: knownSince,
        askedAt: askedAt,
        tags: context.request.tags,
        copyless: head.status.isSuccess ? [] : explanation.copyless
      ),
      change: .replaced,
      transfer: transfer,
      superseded: superseded,
      explanation: explanation
    )
  }

  /// Returns the step for a copy that a 304 has confirmed.
  func confirmed(
    _ validated: Fetch.Expired,
    by head: ResponseHead,
    _ metrics: TransferMetrics
  ) -> Fetch.Downloaded {
    validated.confirmed(
      by: head,
      for: chosen,
      requestTime: requestTime,
      responseTime: responseTime,
      askedAt: askedAt,
      transfer: TransferRecord(
        metrics,
        Confirmation(request: request, head: head),
        isPersonal: isPersonal
      ),
      explanation: explanation
    )
  }

  /// The copy that was the response to the same request before, unless the user has changed in the meantime.
  private var superseded: StoredResponse? {
    guard let copy = fallback?.response, copy.varying.match(chosen) else { return nil }
    return copy
  }

  /// Returns the step for an error response if it may be stored for a while, and throws it otherwise.
  ///
  /// ``settle()`` throws such a step as well. If a stale copy is served instead, the failure contains
  /// the step, so that the stores can store it beside that copy.
  func downloaded(
    _ refused: RefusedResponse,
    _ transfer: TransferRecord
  ) throws(FreshetError) -> Fetch? {
    let step = downloaded(
      refused.head,
      ResourceBody(refused.body),
      nil,
      transfer
    )
    let isPlain = DigestFields(whole: refused.head).expectations.isEmpty
    let age = step.response.record.age(responseTime)
    // An error that is stale from the start would replace a good copy, and would never be used.
    let isStorable =
      refused.isStorable && isPlain && age < step.response.record.lifetime
      && StoragePolicy.storability(of: refused.head, for: context.request) == .storable
    let failure = FreshetError.status(
      refused.head.telling(
        .network,
        explanation,
        refused: step,
        isStorable: isStorable,
        isPersonal: transfer.isPersonal
      ),
      body: refused.body
    )
    let standsIn = fallback.map { StaleFallback.standsIn($0, for: failure) } ?? false
    guard isStorable, !standsIn else { throw failure }
    return .downloaded(step)
  }
}

/// A response with another status than 2xx while it arrives; only the beginning of its body is kept.
struct RefusedResponse {
  let head: ResponseHead
  let limit: Int
  private(set) var body = Data()
  private var isWhole = true

  /// The number of bytes that are kept of an error response's body by default, and the largest one that
  /// is stored: 64 KiB.
  static let bodyLimit = 64 * 1024

  init(_ head: ResponseHead, limit: Int) {
    self.head = head
    self.limit = limit
  }

  /// A Boolean value that indicates whether the body is complete and small enough to be stored.
  ///
  /// A stored error is the response for later fetches too, whatever their limits are.
  var isStorable: Bool { isWhole && body.count <= Self.bodyLimit }

  mutating func append(_ chunk: Data) {
    let room = max(0, limit - body.count)
    if chunk.count > room { isWhole = false }
    body += chunk.prefix(room)
  }
}

extension Explanation {
  /// The stores that had nothing.
  fileprivate var copyless: [Resource.Source] {
    compactMap { decision in
      guard case .missed(let store) = decision else { return nil }
      return store
    }
  }
}

extension ResponseHead {
  /// Returns the head with a record of its origin and of the decisions.
  func telling(
    _ source: Resource.Source,
    _ explanation: Explanation,
    refused: Fetch.Downloaded? = nil,
    isStorable: Bool = false,
    isPersonal: Bool = false
  ) -> ResponseHead {
    var head = self
    head.notes.story = Provenance(
      source,
      explanation,
      refused: refused,
      isStorable: isStorable,
      isPersonal: isPersonal
    )
    return head
  }
}
