/// A request for one range of bytes that parts may answer.
struct PartQuestion: Sendable {
  let range: ByteRange
  /// The request without its range.
  let whole: Request
  private let condition: String?

  /// - Returns: `nil` if the request asks for no range or for several, has another condition than
  ///   `If-Range`, or must not be stored.
  init?(_ request: Request) {
    guard request.body == nil, let whole = PartialAnswer.whole(request),
      let range = request.headers[.range].flatMap(ByteRange.init)
    else { return nil }
    let directives = RequestDirectives(whole.headers)
    guard !directives.isConditional, !directives.control.flags.contains(.noStore) else {
      return nil
    }
    self.range = range
    self.whole = whole
    condition = request.headers[.ifRange]
  }

  /// Returns a Boolean value that indicates whether the request accepts that version.
  func accepts(_ validator: StrongValidator) -> Bool {
    condition.map { $0 == validator.value } ?? true
  }
}
