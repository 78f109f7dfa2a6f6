import Foundation

/// Answers out of a store to requests with a condition of their own (RFC 9111 section 4.3.2).
enum ConditionalAnswer {
  /// The 304 to a request whose sender has the stored response already.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - stored: What answers the request without its condition.
  /// - Returns: The 304; `nil` if there is no condition, or if it lets the stored response be the answer.
  static func answer(_ request: Request, from stored: StoredResponse) -> StoredResponse? {
    guard !request.headers.isEmpty, request.method == .get || request.method == .head,
      stored.head.status.isSuccess, isNotModified(request.headers, stored)
    else { return nil }
    var head = stored.head
    head.status = .notModified
    head.headers = HTTPHeaders(head.headers.filter { isSent($0.name, of: stored) })
    return stored.under(head).with(body: ResourceBody(Data()), digest: nil)
  }

  /// Whether the conditions say that the sender has the stored response (RFC 9110 section 13.2.2).
  ///
  /// `If-Modified-Since` counts where there is no `If-None-Match`.
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

  /// Whether a list holds the tag by weak comparison (RFC 9110 section 13.1.2); `*` holds any.
  private static func names(_ list: [String], _ tag: String?) -> Bool {
    if list.contains("*") { return true }
    guard let tag else { return false }
    return list.contains { Validation.isSameTag($0, tag) }
  }

  /// Its `Last-Modified`; without one its `Date`, or else when it was received (RFC 9111 section 4.3.2).
  private static func lastModified(_ stored: StoredResponse) -> Date {
    stored.head.headers[.lastModified].flatMap { HTTPDate.parse($0, now: stored.responseTime) }
      ?? stored.record.date
  }

  /// Whether a 304 has the field (RFC 9110 section 15.4.5): those that must be there, `Age`, and
  /// `Last-Modified` where nothing else names the version.
  private static func isSent(_ name: HTTPHeaders.Name, of stored: StoredResponse) -> Bool {
    fields.contains(name) || name == .lastModified && !stored.head.headers.contains(.eTag)
  }

  private static let fields: [HTTPHeaders.Name] = [
    .eTag, .date, .cacheControl, .expires, .vary, .contentLocation, .age,
  ]
}
