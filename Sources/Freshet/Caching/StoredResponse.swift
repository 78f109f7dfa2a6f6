public import Foundation

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
  public let digest: SHA256Digest?
  /// When the request was sent (RFC 9111 section 4.2.3).
  public let requestTime: Date
  /// When the response's head was received.
  public let responseTime: Date
  /// Names under which it can be removed.
  public let tags: Set<String>

  /// What the cache policy reads of the head, computed once.
  let record: CacheRecord

  /// Makes a stored response.
  public init(
    key: CacheKey,
    varying: VaryingFields,
    head: ResponseHead,
    body: ResourceBody,
    digest: SHA256Digest? = nil,
    requestTime: Date,
    responseTime: Date,
    tags: Set<String> = []
  ) {
    self.key = key
    self.varying = varying
    self.head = head
    self.body = body
    self.digest = digest
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.tags = tags
    record = CacheRecord(head: head, requestTime: requestTime, responseTime: responseTime)
  }
}

extension StoredResponse {
  /// The same body under the head that a 304 or a HEAD has brought up to date.
  func freshened(
    by head: ResponseHead,
    answering request: Request,
    requestTime: Date,
    responseTime: Date
  ) -> StoredResponse {
    let head = Validation.merged(head, into: self.head)
    return StoredResponse(
      key: key,
      varying: VaryingFields(response: head.headers, request: request.headers),
      head: head,
      body: body,
      digest: digest,
      requestTime: requestTime,
      responseTime: responseTime,
      tags: tags
    )
  }

  /// Whether both the server and this machine say that it is newer.
  ///
  /// One clock that is wrong does not let an older response win for ever.
  func isNewer(than other: StoredResponse) -> Bool {
    record.date > other.record.date && responseTime > other.responseTime
  }

  /// The same response, as old as can be: stale, but still there for when the network fails.
  func outdated() -> StoredResponse {
    let past = Date(timeIntervalSince1970: 0)
    return StoredResponse(
      key: key,
      varying: varying,
      head: head,
      body: body,
      digest: digest,
      requestTime: past,
      responseTime: past,
      tags: tags
    )
  }

  /// The same response in another partition.
  func moved(to partition: String) -> StoredResponse {
    StoredResponse(
      key: key.moved(to: partition),
      varying: varying,
      head: head,
      body: body,
      digest: digest,
      requestTime: requestTime,
      responseTime: responseTime,
      tags: tags
    )
  }

  /// The same response under another head.
  func under(_ head: ResponseHead) -> StoredResponse {
    StoredResponse(
      key: key,
      varying: varying,
      head: head,
      body: body,
      digest: digest,
      requestTime: requestTime,
      responseTime: responseTime,
      tags: tags
    )
  }

  /// The body's SHA-256: the known one, or computed from the bytes.
  func sha256() throws(FreshetError) -> SHA256Digest {
    if let digest { return digest }
    return try body.sha256()
  }
}
