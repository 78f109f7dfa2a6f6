/// A request for one range of bytes, or for all, that parts may answer.
struct PartQuestion: Sendable {
  let range: ByteRange
  /// The request without its range.
  let whole: Request
  /// A Boolean value that indicates whether the request asks for no range.
  let asksForWhole: Bool
  private let condition: String?

  /// - Returns: `nil` if the request asks for no range or for several, has another condition than
  ///   `If-Range`, or must not be stored.
  init?(_ request: Request) {
    guard request.body == nil, let whole = PartialAnswer.whole(request),
      let range = request.headers[.range].flatMap(ByteRange.init), Self.allows(whole)
    else { return nil }
    self.range = range
    self.whole = whole
    asksForWhole = false
    condition = request.headers[.ifRange]
  }

  /// - Returns: `nil` if it does not ask for the whole, has a condition, or nothing of it may be stored.
  init?(whole request: Request) {
    guard Resumption.asksForWhole(request), Self.allows(request) else { return nil }
    range = .from(0)
    whole = request
    asksForWhole = true
    condition = nil
  }

  private static func allows(_ whole: Request) -> Bool {
    let directives = RequestDirectives(whole.headers)
    return !directives.isConditional && !directives.control.flags.contains(.noStore)
  }

  /// The request for some of the positions.
  func request(for gap: Range<Int64>, of positions: Range<Int64>, _ request: Request) -> Request {
    guard gap != positions else { return request }
    var request = request
    request.headers[.range] = ByteRange.bounded(gap.lowerBound...gap.upperBound - 1).description
    request.headers.remove(.ifRange)
    return request
  }

  /// The request that asks whether what is stored is still right.
  func validation(of part: PartFile, _ request: Request) -> Request {
    var request = request
    switch part.validator {
    case .eTag(let tag): request.headers[.ifNoneMatch] = tag
    case .lastModified(let date): request.headers[.ifModifiedSince] = date
    }
    return request
  }

  /// Returns a Boolean value that indicates whether the request accepts that version.
  func accepts(_ validator: StrongValidator) -> Bool {
    condition?.hasSameBytes(as: validator.value) ?? true
  }
}
