import Foundation

extension ResponseReceiver {
  /// What has arrived, as a step.
  func downloaded(
    _ head: consuming ResponseHead,
    _ body: consuming ResourceBody,
    _ digest: SHA256Digest?,
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
        // The answer to a change knows of that change.
        knownAt: context.request.isUnsafe ? responseTime : requestTime,
        knownSince: knownSince,
        askedAt: askedAt,
        tags: context.request.tags
      ),
      change: .replaced,
      transfer: transfer,
      superseded: superseded,
      explanation: explanation
    )
  }

  /// The copy that a 304 has confirmed.
  func confirmed(
    _ validated: Fetch.Expired,
    by head: ResponseHead,
    _ transfer: TransferRecord
  ) -> Fetch.Downloaded {
    validated.confirmed(
      by: head,
      for: chosen,
      requestTime: requestTime,
      responseTime: responseTime,
      askedAt: askedAt,
      transfer: transfer,
      explanation: explanation
    )
  }

  /// What answered the same request so far, unless somebody else has asked since.
  private var superseded: StoredResponse? {
    guard let copy = fallback?.response, copy.varying.match(chosen) else { return nil }
    return copy
  }

  /// An answer that there is no resource: a step if it may be stored for a while, and the failure
  /// that it is otherwise.
  ///
  /// A step of this kind ends as the failure too, in ``settle()``. Where a stale copy stands in, the
  /// failure takes the step with it, for the stores to keep beside that copy.
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
    // One that is stale from the start would take the place of a good copy, and answer nothing.
    let isStorable =
      refused.isStorable && isPlain && age < step.response.record.lifetime
      && StoragePolicy.storability(of: refused.head, for: context.request) == .storable
    let failure = FreshetError.status(
      refused.head.telling(.network, explanation, refused: step, isStorable: isStorable),
      body: refused.body
    )
    let standsIn = fallback.map { StaleFallback.standsIn($0, for: failure) } ?? false
    guard isStorable, !standsIn else { throw failure }
    return .downloaded(step)
  }
}

/// A response of another status than 2xx while it arrives; its beginning is kept.
struct RefusedResponse {
  let head: ResponseHead
  let limit: Int
  private(set) var body = Data()
  private var isWhole = true

  /// How much of an error response is kept, unless a call says otherwise, and how large one may be to
  /// be stored, in bytes.
  static let bodyLimit = 64 * 1024

  init(_ head: ResponseHead, limit: Int) {
    self.head = head
    self.limit = limit
  }

  /// Whether it is small and whole: a stored one answers all who ask, whatever their limits are.
  var isStorable: Bool { isWhole && body.count <= Self.bodyLimit }

  mutating func append(_ chunk: Data) {
    let room = limit - body.count
    if chunk.count > room { isWhole = false }
    body += chunk.prefix(room)
  }
}

extension ResponseHead {
  /// The head with how it came about.
  func telling(
    _ origin: Resource.Origin,
    _ explanation: Explanation,
    refused: Fetch.Downloaded? = nil,
    isStorable: Bool = false
  ) -> ResponseHead {
    var head = self
    head.notes.story = Story(origin, explanation, refused: refused, isStorable: isStorable)
    return head
  }
}
