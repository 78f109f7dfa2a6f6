import FreshetEssentials

/// Validates stored responses, and updates their heads (RFC 9111 section 4.3).
enum Validation {
  /// Returns the request that validates a stored response (section 4.3.1).
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - stored: The stored response for it.
  /// - Returns: The request with `If-None-Match` for an `ETag` and `If-Modified-Since` for a
  ///   `Last-Modified`; `nil` if there is neither, if the request has a condition or a range of its
  ///   own, or if the stored response is no success, to which servers do not apply conditions.
  static func conditional(_ request: Request, for stored: StoredResponse) -> Request? {
    let asked = RequestDirectives(request.headers)
    guard request.method == .get || request.method == .head, request.body == nil,
      !asked.isConditional, !asked.isPartial, stored.head.status.isSuccess
    else { return nil }
    var headers = request.headers
    // A tag that its server wrote without quotation marks is sent back unchanged, because the
    // server recognises only that form.
    if let tag = stored.head.headers[.eTag], !tag.isEmpty,
      !tag.utf8.contains(where: ASCII.isControl)
    {
      headers[.ifNoneMatch] = tag
    }
    if let modified = stored.head.headers[.lastModified],
      HTTPDate.parse(modified, now: stored.responseTime) != nil
    {
      headers[.ifModifiedSince] = modified
    }
    guard headers.contains(.ifNoneMatch) || headers.contains(.ifModifiedSince) else { return nil }
    var conditional = request
    conditional.headers = headers
    return conditional
  }

  /// Returns a request for the head only, to compare it (section 4.3.5).
  static func head(_ request: Request) -> Request {
    var head = request
    head.method = .head
    head.body = nil
    return head
  }

  /// Returns a Boolean value that indicates whether a 304 is about this stored response (section
  /// 4.3.4).
  ///
  /// A tag in it must be equal to the stored one by weak comparison, which servers make as well: many
  /// weaken the tag of a compressed response, and not that of the 304. Without a tag, a
  /// `Last-Modified` must be equal to the stored one. A 304 without validators, which many servers
  /// send, is about the one response that was validated. It must have the URL of the stored
  /// response, because tags of different URLs are unrelated (RFC 9110 section 8.8.3).
  ///
  /// A 304 that is not accepted must not update anything: the request is sent again without its
  /// condition.
  static func accepts(_ notModified: ResponseHead, for stored: StoredResponse) -> Bool {
    guard notModified.status == .notModified, notModified.url.hasSameKey(as: stored.head.url) else {
      return false
    }
    let old = stored.head.headers
    let new = notModified.headers
    if let tag = new[.eTag] { return isSameTag(tag, old[.eTag]) }
    guard let modified = new[.lastModified] else { return true }
    return isSameDate(modified, old[.lastModified], now: stored.responseTime)
  }

  /// Returns a Boolean value that indicates whether the head of a `HEAD` response proves that the
  /// stored body is still current.
  ///
  /// Each validator in it, `ETag` by weak comparison and `Last-Modified`, must be equal to the
  /// stored one, and so must the length if both are known. Without validators nothing is known,
  /// which counts as changed.
  static func isSame(_ head: ResponseHead, as stored: StoredResponse) -> Bool {
    let old = stored.head.headers
    let validators = [HTTPHeaders.Name.eTag, .lastModified].filter { head.headers.contains($0) }
    return !validators.isEmpty && validators.allSatisfy { old.contains($0) }
      && !contradicts(head, stored)
  }

  /// Returns a Boolean value that indicates whether the head of a `HEAD` response contradicts the
  /// stored response (section 4.3.5): by another status or URL, or by a validator or a length that
  /// both have.
  ///
  /// A response that is not contradicted is updated with the new head; one that is contradicted is
  /// stale.
  static func contradicts(_ head: ResponseHead, _ stored: StoredResponse) -> Bool {
    let old = stored.head.headers
    let new = head.headers
    guard head.status == stored.head.status, head.url.hasSameKey(as: stored.head.url) else {
      return true
    }
    if let tag = new[.eTag], let known = old[.eTag], !isSameTag(tag, known) { return true }
    if let modified = new[.lastModified], let known = old[.lastModified],
      !isSameDate(modified, known, now: stored.responseTime)
    {
      return true
    }
    guard let length = new[.contentLength] else { return false }
    if let known = old[.contentLength] {
      return length != known && ASCII.integer(length).map { $0 == ASCII.integer(known) } != true
    }
    // A coded length and that of the decoded body cannot be compared.
    let isCoded = new.contains(.contentEncoding) || old.contains(.contentEncoding)
    return !isCoded && ASCII.integer(length) != stored.body.length
  }

  /// Returns the stored head with its fields replaced by those of a 304, or of a `HEAD` response
  /// (section 3.2).
  ///
  /// These are not replaced: fields that are not stored (section 3.1), `Content-Length`, and those
  /// that describe the body as it was received before it was decoded: `Content-Encoding` and
  /// `Content-Range`. A weak tag is not replaced by a strong one, which would be that of other bytes.
  /// `Age` and `Date` are removed if the new head lacks them, because they would make the newer
  /// response seem older.
  static func merged(_ head: ResponseHead, into stored: ResponseHead) -> ResponseHead {
    let unstored = UnstoredFields(of: head.headers)
    var kept: [HTTPHeaders.Name] = [.contentLength, .contentEncoding, .contentRange]
    if isWeak(stored), !isWeak(head) { kept.append(.eTag) }
    let new = head.headers.filter { !unstored.contains($0.name) && !kept.contains($0.name) }
    // Fields named by no-cache="…" were either not stored or are superseded.
    let outdated = unstored.ofNoCache.union([.age, .date]).union(new.map(\.name))
    var merged = stored
    merged.headers = HTTPHeaders(stored.headers.filter { !outdated.contains($0.name) } + new)
    merged.hide(head.notes.secretHeaders)
    return merged
  }

  private static func isWeak(_ head: ResponseHead) -> Bool {
    head.headers[.eTag].flatMap(EntityTag.init)?.isWeak == true
  }

  /// Returns a Boolean value that indicates whether two tags are equal by weak comparison, or
  /// literally if one is malformed.
  static func isSameTag(_ left: String, _ right: String?) -> Bool {
    guard let right else { return false }
    guard let leftTag = EntityTag(left), let rightTag = EntityTag(right) else {
      return left.hasSameBytes(as: right)
    }
    return leftTag.matchesWeakly(rightTag)
  }

  private static func isSameDate(_ left: String, _ right: String?, now: Date) -> Bool {
    guard let right else { return false }
    if left.hasSameBytes(as: right) { return true }
    guard let leftDate = HTTPDate.parse(left, now: now) else { return false }
    return leftDate == HTTPDate.parse(right, now: now)
  }
}
