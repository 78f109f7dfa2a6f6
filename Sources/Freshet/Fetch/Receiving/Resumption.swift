import FreshetEssentials

/// The pure decisions for resuming an incomplete body (RFC 9110 sections 13.1.5 and 14, RFC 9111
/// section 3.4).
struct Resumption {
  /// The head of the incomplete response.
  let head: ResponseHead
  /// The number of bytes of its body that have arrived.
  let length: Int64
  private let validator: StrongValidator

  /// - Returns: `nil` if there is no strong validator for the version, or if the body cannot be addressed by
  ///   ranges: a part, an encoded body, the response to something other than a plain `GET`.
  init?(_ request: Request, _ head: ResponseHead, receivedAt time: Date, length: Int64) {
    guard Self.mayResume(request, head, receivedAt: time),
      let validator = StrongValidator(head, receivedAt: time), length > 0
    else { return nil }
    self.head = head
    self.length = length
    self.validator = validator
  }

  init?(_ request: Request, _ partial: PartialBody) {
    let received = partial.record.received
    self.init(request, partial.head, receivedAt: received, length: partial.length)
  }

  /// Returns whether a body can be resumed if its transfer breaks.
  static func mayResume(
    _ request: Request,
    _ head: ResponseHead,
    receivedAt time: Date
  ) -> Bool {
    asksForWhole(request) && head.status == .ok && !head.headers.hasContentCoding
      && !head.headers.members(of: "Accept-Ranges").contains("none")
      && StrongValidator(head, receivedAt: time) != nil
  }

  static func asksForWhole(_ request: Request) -> Bool {
    request.method == .get && request.body == nil && !request.headers.contains(.range)
      && !request.headers.contains(.ifRange)
  }

  /// The offset of the rest, which has at least one byte, so that the server has something to send.
  var position: Int64 {
    guard let total = head.decodedLength, total > 0 else { return length }
    return min(length, total - 1)
  }

  /// Returns the request for the rest.
  func request(_ request: Request) -> Request {
    var rest = request
    rest.headers[.range] = ByteRange.from(position).description
    rest.headers[.ifRange] = validator.value
    return rest
  }
}

extension Resumption {
  /// The meaning of the response to the request for the rest.
  enum Verdict: Sendable, Hashable {
    /// The response is the rest.
    case append
    /// The response is the whole body, of this version or of another one.
    case replace
    /// The response contradicts itself or the stored bytes; both are discarded.
    case restart(because: String)
    /// The response is something else, such as a 304 or a failure.
    case other
  }

  /// Classifies the response by its head.
  ///
  /// - Parameters:
  ///   - answer: The head.
  ///   - isVerified: A Boolean value that indicates whether the whole body will be compared with an
  ///     expected digest; `false` by default.
  /// - Returns: The meaning.
  func verdict(on answer: ResponseHead, isVerified: Bool = false) -> Verdict {
    switch answer.status {
    case .partialContent:
      return contradiction(in: answer, isVerified).map(Verdict.restart) ?? .append
    case .rangeNotSatisfiable:
      return .restart(because: "the server has no such range")
    case _ where answer.status.isSuccess:
      return contradiction(inWhole: answer).map(Verdict.restart) ?? .replace
    default:
      return .other
    }
  }

  /// Returns a Boolean value that indicates whether the stored bytes are of no use after a response with
  /// another status than 2xx and 416: the resource has gone or changed, or the server may refuse the range
  /// each time.
  static func isEnded(by status: HTTPStatus) -> Bool {
    [304, 400, 404, 410, 412].contains(status)
  }

  private func contradiction(inWhole answer: ResponseHead) -> String? {
    // The transport does not decode responses to range requests.
    if answer.headers.hasContentCoding { return "the response is encoded" }
    guard validator.identifies(answer), let total = head.decodedLength,
      let now = answer.decodedLength, now != total
    else { return nil }
    return "the total length has changed"
  }

  private func contradiction(in answer: ResponseHead, _ isVerified: Bool) -> String? {
    guard isOfSameResource(answer.url) || isVerified && isOfSamePath(answer.url) else {
      return "the response came from another URL"
    }
    guard validator.identifies(answer) else { return "the part belongs to another version" }
    guard !answer.headers.hasContentCoding else { return "the part is encoded" }
    guard answer.headers[values: .contentRange].count == 1,
      let part = answer.headers[.contentRange].flatMap(ContentRange.init), let range = part.range
    else { return "the part does not state its range" }
    guard range.lowerBound == position else { return "the part is not the requested one" }
    switch (head.decodedLength, part.total) {
    case (nil, nil):
      // RFC 9110 section 14.4 allows `*`, but a truncated rest could not be detected then.
      return "the total length is unknown"
    case (let total?, let now?) where total != now:
      return "the total length has changed"
    default:
      break
    }
    if let length = answer.headers[.contentLength], ASCII.integer(length) != range.length {
      return "the part's length differs from its range"
    }
    return nil
  }

  private func isOfSameResource(_ url: URL) -> Bool { CacheKey(url) == CacheKey(head.url) }

  /// Returns whether another query of the same path may have the same tag, as that of a signed URL does.
  private func isOfSamePath(_ url: URL) -> Bool {
    guard case .eTag = validator else { return false }
    let (own, other) = (CacheKey(head.url).text.utf8, CacheKey(url).text.utf8)
    let mark = UInt8(ascii: "?")
    return own.prefix { $0 != mark }.elementsEqual(other.prefix { $0 != mark })
  }

  /// Returns the head of the whole body: that of the incomplete response, updated from the one of the
  /// rest (RFC 9111 section 3.4).
  func merged(_ answer: ResponseHead) -> ResponseHead {
    var merged = Validation.merged(answer, into: head)
    let total = answer.headers[.contentRange].flatMap(ContentRange.init)?.total
    if let total { merged.headers[.contentLength] = String(total) }
    // `identity` would make the length unknown.
    merged.headers.remove(.contentEncoding)
    // These fields of a part do not describe the whole.
    for name in PartialAnswer.ofTheContent {
      let own = head.headers[values: name]
      merged.headers.remove(name)
      for value in own { merged.headers.add(value, for: name) }
    }
    return merged
  }
}

extension FreshetError {
  /// A Boolean value that indicates whether a transfer broke off, and its rest may be requested.
  var isBrokenTransfer: Bool {
    switch self {
    case .connection, .timedOut(.idle, _): true
    default: false
    }
  }
}

extension HTTPHeaders {
  /// A Boolean value that indicates whether a body has a content coding; `identity` is none.
  var hasContentCoding: Bool {
    members(of: .contentEncoding).contains { !ASCII.equalIgnoringCase($0, "identity") }
  }
}
