import FreshetEssentials

/// Ranges of bytes out of whole stored responses (RFC 9110 section 14, RFC 9111 section 3.4).
enum PartialAnswer {
  /// Returns the request without its range; `nil` if it asks for no range or for several, or is not
  /// a `GET`.
  static func whole(_ request: Request) -> Request? {
    guard request.method == .get, request.headers[values: .range].count == 1 else { return nil }
    var whole = request
    whole.headers.remove(.range)
    whole.headers.remove(.ifRange)
    return whole
  }

  /// Returns the requested range of a stored response as a 206.
  ///
  /// - Parameters:
  ///   - request: A request for one range of bytes.
  ///   - stored: The whole, usable for the same request without its range.
  /// - Returns: The part; `nil` if the stored response is no complete 200 without content coding,
  ///   if its strong validator is not equal to `If-Range`, or if the range is not within it.
  static func answer(_ request: Request, from stored: StoredResponse) -> StoredResponse? {
    guard let range = request.headers[.range].flatMap(ByteRange.init),
      stored.head.status == .ok, !stored.head.headers.contains(.contentEncoding),
      isMet(request.headers[.ifRange], by: stored),
      let positions = range.positions(in: stored.body.length)
    else { return nil }
    var head = stored.head
    head.status = 206
    head.headers[.contentRange] =
      ContentRange(positions.lowerBound...positions.upperBound - 1, of: stored.body.length)
      .description
    head.headers[.contentLength] = String(positions.length)
    // Digests of the content are not those of a part of it (RFC 9530 section 2); Repr-Digest stays.
    for name in ofTheContent { head.headers.remove(name) }
    return stored.under(head).with(body: stored.body.part(positions), digest: nil)
  }

  /// The digests of the content of a response, which those of the whole are not.
  static let ofTheContent: [HTTPHeaders.Name] = ["Content-Digest", "Content-MD5"]

  /// Returns a Boolean value that indicates whether `If-Range` is absent or equal to the stored
  /// response's strong validator (RFC 9110 section 13.1.5).
  private static func isMet(_ condition: String?, by stored: StoredResponse) -> Bool {
    guard let condition else { return true }
    let validator = StrongValidator(stored.head, receivedAt: stored.responseTime)
    return validator?.value.hasSameBytes(as: condition) == true
  }
}
