import Foundation

/// Going on with a body that has not arrived whole (RFC 9110 sections 13.1.5 and 14, RFC 9111
/// section 3.4): pure decisions.
struct Resumption {
  /// The response that broke off.
  let head: ResponseHead
  /// How many of its bytes have arrived.
  let length: Int64
  private let validator: StrongValidator

  /// - Returns: `nil` if nothing tells byte for byte which version has arrived, or if what arrives is
  ///   not what ranges count: a part, a coded body, the answer to something other than a plain `GET`.
  init?(_ request: Request, _ head: ResponseHead, receivedAt time: Date, length: Int64) {
    guard Self.mayResume(request, head, receivedAt: time),
      let validator = StrongValidator(head, receivedAt: time), length > 0
    else { return nil }
    self.head = head
    self.length = length
    self.validator = validator
  }

  /// Whether a body that breaks off can be taken up at all.
  static func mayResume(
    _ request: Request,
    _ head: ResponseHead,
    receivedAt time: Date
  ) -> Bool {
    asksForWhole(request) && head.status == .ok && !head.headers.contains(.contentEncoding)
      && !head.headers.members(of: "Accept-Ranges").contains("none")
      && StrongValidator(head, receivedAt: time) != nil
  }

  static func asksForWhole(_ request: Request) -> Bool {
    request.method == .get && request.body == nil && !request.headers.contains(.range)
      && !request.headers.contains(.ifRange)
  }

  /// Where the rest begins: at least one byte is asked for, so that the server has something to send.
  var position: Int64 {
    guard let total = head.decodedLength, total > 0 else { return length }
    return min(length, total - 1)
  }

  /// The request for the rest.
  func request(_ request: Request) -> Request {
    var rest = request
    rest.headers[.range] = ByteRange.from(position).description
    rest.headers[.ifRange] = validator.value
    return rest
  }
}

extension Resumption {
  /// What to do with the answer.
  enum Verdict: Sendable, Hashable {
    /// It is the rest.
    case append
    /// It is the whole, of this version or of another one.
    case replace
    /// It contradicts itself or what has arrived: nothing of either is of use.
    case restart(because: String)
    /// It is something else, such as a 304 or a failure.
    case other
  }

  /// Judges the answer by its head.
  func verdict(on answer: ResponseHead) -> Verdict {
    switch answer.status {
    case .partialContent:
      return contradiction(in: answer).map(Verdict.restart) ?? .append
    case .rangeNotSatisfiable:
      return .restart(because: "the server has no such range")
    case _ where answer.status.isSuccess:
      // The transport does not decode what answers a range.
      return answer.headers.contains(.contentEncoding)
        ? .restart(because: "the answer is encoded") : .replace
    default:
      return .other
    }
  }

  private func contradiction(in answer: ResponseHead) -> String? {
    guard CacheKey(answer.url) == CacheKey(head.url) else { return "another URL answered" }
    guard validator.identifies(answer) else { return "the part is of another version" }
    guard !answer.headers.contains(.contentEncoding) else { return "the part is encoded" }
    guard answer.headers[values: .contentRange].count == 1,
      let part = answer.headers[.contentRange].flatMap(ContentRange.init), let range = part.range
    else { return "the part does not say which one it is" }
    guard range.lowerBound == position else { return "it is another part than was asked for" }
    switch (head.decodedLength, part.total) {
    case (nil, nil):
      // RFC 9110 section 14.4 lets a server say `*`: a rest that ends early could not be told apart.
      return "nothing tells how long the whole is"
    case (let total?, let now?) where total != now:
      return "the whole has another length"
    default:
      break
    }
    if let length = answer.headers[.contentLength], ASCII.integer(length) != Int64(range.count) {
      return "the part has another length than it says"
    }
    return nil
  }

  /// The head of the whole: that of the response that broke off, brought up to date (RFC 9111
  /// section 3.4).
  func merged(_ answer: ResponseHead) -> ResponseHead {
    var merged = Validation.merged(answer, into: head)
    let total = answer.headers[.contentRange].flatMap(ContentRange.init)?.total
    if let total { merged.headers[.contentLength] = String(total) }
    // What the part says about itself is not about the whole.
    for name in Self.ofThePart {
      let own = head.headers[values: name]
      merged.headers.remove(name)
      for value in own { merged.headers.add(value, for: name) }
    }
    return merged
  }

  private static let ofThePart: [HTTPHeaders.Name] = ["Content-Digest", "Content-MD5"]
}
