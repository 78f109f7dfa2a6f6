import FreshetEssentials

/// Responses from a store to requests with a condition of their own (RFC 9111 section 4.3.2).
enum ConditionalAnswer {
  /// Returns a 304 for a request whose sender already has the stored response.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - stored: The stored response for the request without its condition.
  /// - Returns: The 304; `nil` if there is no condition, or if the stored response itself is the
  ///   answer.
  static func answer(_ request: Request, from stored: StoredResponse) -> StoredResponse? {
    guard !request.headers.isEmpty, request.method == .get || request.method == .head,
      stored.head.status.isSuccess, isNotModified(request.headers, stored)
    else { return nil }
    var head = stored.head
    head.status = .notModified
    head.headers = HTTPHeaders(head.headers.filter { isSent($0.name, of: stored) })
    return stored.under(head).withoutBody
  }

  /// Returns a Boolean value that indicates whether the sender has the stored response, according
  /// to the conditions (RFC 9110 section 13.2.2).
  ///
  /// `If-Modified-Since` is ignored if there is an `If-None-Match`.
  private static func isNotModified(_ headers: HTTPHeaders, _ stored: StoredResponse) -> Bool {
    if headers.contains(.ifNoneMatch) {
      return names(headers.members(of: .ifNoneMatch), stored.head.headers[.eTag])
    }
    // Section 13.1.3: a condition with several values, or one that is no date, is ignored.
    let dates = headers[values: .ifModifiedSince]
    guard dates.count == 1, let since = HTTPDate.parse(dates[0], now: stored.responseTime) else {
      return false
    }
    return lastModified(stored) <= since
  }

  /// Returns a Boolean value that indicates whether a list contains the tag by weak comparison (RFC
  /// 9110 section 13.1.2); `*` matches any.
  private static func names(_ list: [String], _ tag: String?) -> Bool {
    if list.contains("*") { return true }
    guard let tag else { return false }
    return list.contains { Validation.isSameTag($0, tag) }
  }

  /// Returns its `Last-Modified`, or else its `Date`, or else the time when it was received (RFC
  /// 9111 section 4.3.2).
  private static func lastModified(_ stored: StoredResponse) -> Date {
    stored.head.headers[.lastModified].flatMap { HTTPDate.parse($0, now: stored.responseTime) }
      ?? stored.record.date
  }

  /// Returns a Boolean value that indicates whether a 304 has the field (RFC 9110 section 15.4.5):
  /// the required ones, `Age`, and `Last-Modified` if there is no `ETag`.
  private static func isSent(_ name: HTTPHeaders.Name, of stored: StoredResponse) -> Bool {
    fields.contains(name) || name == .lastModified && !stored.head.headers.contains(.eTag)
  }

  private static let fields: [HTTPHeaders.Name] = [
    .eTag, .date, .cacheControl, .expires, .vary, .contentLocation, .age,
  ]
}

extension Request {
  /// A copy of the request without the conditions on a copy that its sender has.
  var withoutConditions: Request {
    var request = self
    request.headers.remove(.ifNoneMatch)
    request.headers.remove(.ifModifiedSince)
    return request
  }
}
