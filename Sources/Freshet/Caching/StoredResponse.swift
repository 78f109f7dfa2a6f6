public import Foundation
import Synchronization

/// A response as stores keep it.
///
/// It is immutable; one instance is shared by a memory store and everyone who reads it.
public final class StoredResponse: Sendable {
  /// Under which key it is stored.
  public let key: CacheKey
  /// The values that the request had for the fields that `Vary` names (RFC 9111 section 4.1).
  public let varying: VaryingFields
  /// Status, headers and URL.
  public let head: ResponseHead
  /// The body, in memory or in a file.
  public let body: ResourceBody
  /// The body's SHA-256, once it is known.
  public var digest: SHA256Digest? { knownDigest.withLock { $0 } }
  /// When the request was sent (RFC 9111 section 4.2.3).
  public let requestTime: Date
  /// When the response's head was received.
  public let responseTime: Date
  /// Names under which it can be removed.
  public let tags: Set<String>

  /// That of a body in memory is computed when somebody asks for it.
  private let knownDigest: Mutex<SHA256Digest?>
  /// What the cache policy reads of the head, once somebody has asked for it.
  private let knownRecord = LazyReference<CacheRecord>()
  /// What is known of the resource up to here: changes that were made later are not in it.
  let knownAt: Date
  /// The same in the order of events; `nil` for what no fetch has brought.
  let knownSince: EventInstant?
  /// The instant at which a fetch asked for it; `nil` for what no fetch has brought.
  ///
  /// What was removed from a store since then does not come back by it.
  let askedAt: EventInstant?
  /// The copy that a store has beside an error, see ``Beside``.
  let beside: Beside?

  /// Makes a stored response.
  public convenience init(
    key: CacheKey,
    varying: VaryingFields,
    head: ResponseHead,
    body: ResourceBody,
    digest: SHA256Digest? = nil,
    requestTime: Date,
    responseTime: Date,
    tags: Set<String> = []
  ) {
    self.init(
      key: key,
      varying: varying,
      head: head,
      body: body,
      digest: digest,
      requestTime: requestTime,
      responseTime: responseTime,
      knownAt: requestTime,
      tags: tags
    )
  }

  init(
    key: CacheKey,
    varying: VaryingFields,
    head: ResponseHead,
    body: ResourceBody,
    digest: SHA256Digest?,
    requestTime: Date,
    responseTime: Date,
    knownAt: Date,
    knownSince: EventInstant? = nil,
    askedAt: EventInstant? = nil,
    tags: Set<String>,
    record: CacheRecord? = nil,
    beside: Beside? = nil
  ) {
    self.beside = beside
    self.knownAt = knownAt
    self.knownSince = knownSince
    self.askedAt = askedAt
    self.key = key
    self.varying = varying
    self.head = head
    self.body = body
    knownDigest = Mutex(digest)
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.tags = tags
    if let record { _ = knownRecord.storeIfNil(record) }
  }
}

extension StoredResponse {
  /// What the cache policy reads of the head, computed once.
  ///
  /// Much of what is downloaded is never looked up, and then nobody asks.
  var record: CacheRecord {
    if let known = knownRecord.load() { return known }
    let record = CacheRecord(head: head, requestTime: requestTime, responseTime: responseTime)
    return knownRecord.storeIfNil(record)
  }
}

extension StoredResponse {
  /// The same body under the head that a 304 or a HEAD has brought up to date.
  ///
  /// `headers` are the request's fields that chose the response, see ``FetchContext``; `askedAt` is
  /// when that was asked for.
  func freshened(
    by head: ResponseHead,
    for headers: HTTPHeaders,
    requestTime: Date,
    responseTime: Date,
    askedAt: EventInstant? = nil
  ) -> StoredResponse {
    let head = Validation.merged(head, into: self.head)
    return copy(
      varying: VaryingFields(response: head.headers, request: headers),
      head: head,
      requestTime: requestTime,
      responseTime: responseTime,
      knownAt: requestTime,
      order: (askedAt, askedAt ?? self.askedAt)
    )
  }

  /// Whether both the server and this machine say that it is newer.
  ///
  /// One clock that is wrong does not let an older response win for ever.
  func isNewer(than other: StoredResponse) -> Bool {
    record.date > other.record.date && responseTime > other.responseTime
  }

  /// Whether another response must not take its place: that one is older by both clocks, or had
  /// been received before this one was asked for and is no newer by the server's.
  ///
  /// Nothing is on its way for longer than a day: who seems to have been has a clock that was set back.
  ///
  /// Of two that fetches have brought, the one that was asked for later and is newer by the server's clock
  /// outranks the other one, whatever this machine's clock said.
  func outranks(_ other: StoredResponse) -> Bool {
    if record.date > other.record.date, isAskedAfter(other) { return true }
    guard responseTime.timeIntervalSince(other.responseTime) < Invalidations.longestTransfer else {
      return false
    }
    return isNewer(than: other)
      || record.date >= other.record.date && requestTime > other.responseTime
  }

  private func isAskedAfter(_ other: StoredResponse) -> Bool {
    guard let own = knownSince, let others = other.knownSince, own.boot == others.boot else {
      return false
    }
    return own.uptime > others.uptime
  }

  /// The same response, of unknown age: stale, but still there for when the network fails.
  ///
  /// The time of its request is given up for that; when it was received stays.
  func outdated() -> StoredResponse {
    copy(requestTime: CacheRecord.unknownTime, knownAt: knownAt)
  }

  /// The same response as a fetch brings it that asked for it then.
  func asked(at instant: EventInstant) -> StoredResponse {
    copy(order: (knownSince, instant))
  }

  /// The same response in another partition.
  func moved(to partition: String) -> StoredResponse {
    copy(key: key.moved(to: partition))
  }

  /// The same response under another head.
  func under(_ head: ResponseHead) -> StoredResponse {
    copy(head: head)
  }

  func with(body: ResourceBody, digest: SHA256Digest?) -> StoredResponse {
    copy(content: (body, digest))
  }

  /// The same error with the copy that is beside it; without any for `nil`.
  func with(beside: Beside?) -> StoredResponse {
    copy(beside: beside)
  }

  private func copy(
    key: CacheKey? = nil,
    varying: VaryingFields? = nil,
    head: ResponseHead? = nil,
    content: (body: ResourceBody, digest: SHA256Digest?)? = nil,
    requestTime: Date? = nil,
    responseTime: Date? = nil,
    knownAt: Date? = nil,
    order: (knownSince: EventInstant?, askedAt: EventInstant?)? = nil,
    beside: Beside? = nil
  ) -> StoredResponse {
    let isSameRecord = head == nil && requestTime == nil && responseTime == nil
    return StoredResponse(
      key: key ?? self.key,
      varying: varying ?? self.varying,
      head: head ?? self.head,
      body: content?.body ?? body,
      digest: content.map(\.digest) ?? digest,
      requestTime: requestTime ?? self.requestTime,
      responseTime: responseTime ?? self.responseTime,
      knownAt: knownAt ?? self.knownAt,
      knownSince: order.map(\.knownSince) ?? knownSince,
      askedAt: order.map(\.askedAt) ?? askedAt,
      tags: tags,
      record: isSameRecord ? knownRecord.load() : nil,
      beside: beside
    )
  }

  /// The body's SHA-256: the known one, or computed from the bytes.
  func sha256() throws(FreshetError) -> SHA256Digest {
    if let digest { return digest }
    let digest = try body.sha256()
    knownDigest.withLock { $0 = digest }
    return digest
  }

  /// Whether both have the same body, byte by byte.
  func hasSameBody(as other: StoredResponse) throws(FreshetError) -> Bool {
    if let digest, let other = other.digest { return digest == other }
    // Comparing costs a fraction of hashing.
    if case .bytes(let left) = body.storage, case .bytes(let right) = other.body.storage {
      return left == right
    }
    return try sha256() == other.sha256()
  }
}
