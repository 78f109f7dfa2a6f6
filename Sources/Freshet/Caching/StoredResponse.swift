public import FreshetEssentials
import Synchronization

/// A response in a store.
public final class StoredResponse: Sendable {
  /// The key under which it is stored.
  public let key: CacheKey
  /// The values that the request had for the fields that `Vary` names (RFC 9111 section 4.1).
  public let varying: VaryingFields
  /// Status, headers and URL.
  public let head: ResponseHead
  /// The body, in memory or in a file.
  public let body: ResourceBody
  /// The body's SHA-256, once it is known.
  public var digest: SHA256Checksum? { knownDigest.withLock { $0 } }
  /// The time when the request was made (RFC 9111 section 4.2.3).
  ///
  /// Time in which it waited for the network, for a permit or between retries counts as age: a copy is never
  /// taken for fresher than it is.
  public let requestTime: Date
  /// The time when the response's head was received.
  public let responseTime: Date
  /// The names under which it can be removed.
  public let tags: Set<String>

  /// The body's digest; that of a body in memory is computed on demand.
  private let knownDigest: Mutex<SHA256Checksum?>
  /// The properties that the cache policy needs, computed on demand.
  private let knownRecord = LazyReference<CacheRecord>()
  /// The time up to which it includes changes of the resource.
  let knownAt: Date
  /// The time as an instant in the order of events; `nil` for a response that no fetch has brought.
  let knownSince: EventInstant?
  /// The instant at which a fetch requested it; `nil` for a response that no fetch has brought.
  ///
  /// A store does not store it after a later removal that concerns it.
  let askedAt: EventInstant?
  /// The copy that a store has beside an error, see ``Beside``.
  let beside: Beside?
  /// The stores that were asked for a copy beside an error and had none.
  let copyless: [Resource.Source]

  /// Makes a stored response.
  public convenience init(
    key: CacheKey,
    varying: VaryingFields,
    head: ResponseHead,
    body: ResourceBody,
    digest: SHA256Checksum? = nil,
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
    digest: SHA256Checksum?,
    requestTime: Date,
    responseTime: Date,
    knownAt: Date,
    knownSince: EventInstant? = nil,
    askedAt: EventInstant? = nil,
    tags: Set<String>,
    record: CacheRecord? = nil,
    beside: Beside? = nil,
    copyless: [Resource.Source] = []
  ) {
    self.beside = beside
    self.copyless = copyless
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
  /// The properties that the cache policy needs, computed once.
  ///
  /// Many downloaded responses are never looked up, and never need them.
  var record: CacheRecord {
    if let known = knownRecord.load() { return known }
    let record = CacheRecord(
      key,
      head: head,
      requestTime: requestTime,
      responseTime: responseTime
    )
    return knownRecord.storeIfNil(record)
  }
}

extension StoredResponse {
  /// Returns the response with a head that a 304 or the response to a `HEAD` has updated.
  ///
  /// `headers` are the request's fields that selected the response, see ``FetchContext``; `askedAt`
  /// is the instant of that request.
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

  /// Returns a Boolean value that indicates whether it is newer by both the server's and this
  /// machine's clock.
  ///
  /// A single wrong clock does not let an older response win for ever.
  func isNewer(than other: StoredResponse) -> Bool {
    record.date > other.record.date && responseTime > other.responseTime
  }

  /// Returns a Boolean value that indicates whether another response must not replace it: the other
  /// one is older by both clocks, or had been received before this one was requested and is no
  /// newer by the server's clock.
  ///
  /// No transfer takes longer than a day: a larger difference means that a clock was set back.
  ///
  /// Of two responses of fetches, the one that was requested later and is newer by the server's
  /// clock outranks the other one, whatever this machine's clock was.
  package func outranks(_ other: StoredResponse) -> Bool {
    if record.date > other.record.date, isAskedAfter(other) { return true }
    guard responseTime.timeIntervalSince(other.responseTime) < Invalidations.longestTransfer else {
      return false
    }
    return isNewer(than: other)
      || record.date >= other.record.date && requestTime > other.responseTime
  }

  /// Returns a Boolean value that indicates whether it was requested after another one, on the same
  /// machine.
  func isAskedAfter(_ other: StoredResponse) -> Bool {
    guard let own = knownSince, let others = other.knownSince, own.boot == others.boot else {
      return false
    }
    return own.uptime > others.uptime
  }

  /// Returns the response with an unknown age: stale, but still available for when the network
  /// fails.
  ///
  /// It loses the time of its request; the time when it was received stays.
  func outdated() -> StoredResponse {
    copy(requestTime: CacheRecord.unknownTime, knownAt: knownAt)
  }

  /// Returns the response as one that a fetch requested at this instant.
  func asked(at instant: EventInstant) -> StoredResponse {
    copy(order: (knownSince, instant))
  }

  /// Returns the response in another partition.
  func moved(to partition: String) -> StoredResponse {
    copy(key: key.moved(to: partition))
  }

  /// Returns the response with another head.
  func under(_ head: ResponseHead) -> StoredResponse {
    copy(head: head)
  }

  /// Returns another response under a key that extends this one's, with the same varying fields and times.
  func extended(by name: String, headers: HTTPHeaders, body: ResourceBody) -> StoredResponse {
    copy(
      key: CacheKey(text: "\(key.text) \(name)"),
      head: ResponseHead(status: head.status, headers: headers, url: head.url),
      content: (body, nil)
    )
  }

  func with(body: ResourceBody, digest: SHA256Checksum?) -> StoredResponse {
    copy(content: (body, digest))
  }

  /// Returns the error with the copy that is beside it, or without any for `nil`.
  func with(beside: Beside?) -> StoredResponse {
    copy(beside: beside)
  }

  /// Returns this error as one for which the given stores have no copy of the resource.
  func without(copiesIn stores: [Resource.Source]) -> StoredResponse {
    copy(copyless: stores)
  }

  /// Returns the response with other values for those that are given; no copy is beside it unless one is.
  func copy(
    key: CacheKey? = nil,
    varying: VaryingFields? = nil,
    head: ResponseHead? = nil,
    content: (body: ResourceBody, digest: SHA256Checksum?)? = nil,
    requestTime: Date? = nil,
    responseTime: Date? = nil,
    knownAt: Date? = nil,
    order: (knownSince: EventInstant?, askedAt: EventInstant?)? = nil,
    beside: Beside? = nil,
    copyless: [Resource.Source]? = nil
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
      beside: beside,
      copyless: copyless ?? self.copyless
    )
  }

  /// Returns the body's SHA-256: the known one, or computed from the bytes.
  package func sha256() throws(FreshetError) -> SHA256Checksum {
    if let digest { return digest }
    let digest = try body.sha256()
    knownDigest.withLock { $0 = digest }
    return digest
  }

  /// Returns a Boolean value that indicates whether both have the same body, byte by byte.
  func hasSameBody(as other: StoredResponse) throws(FreshetError) -> Bool {
    if let digest, let other = other.digest { return digest == other }
    // Comparing is much cheaper than hashing.
    if case .bytes(let left) = body.storage, case .bytes(let right) = other.body.storage {
      return left == right
    }
    return try sha256() == other.sha256()
  }
}
