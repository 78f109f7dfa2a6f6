extension ResponseHead {
  /// Returns the reason why the head cannot be that of a response to a request, or `nil`.
  func problem(answering request: Request) -> String? {
    // RFC 9110 section 7.8.
    if status == 101, !request.isUpgrade, !request.headers.contains(.upgrade) {
      return "it changes the protocol, which was not requested"
    }
    return framingProblem
  }

  /// The problem with the lengths that the head declares, or `nil` (RFC 9112 section 6.3).
  ///
  /// Contradicting lengths allow response smuggling.
  var framingProblem: String? {
    let lines = headers[values: .contentLength]
    guard !lines.isEmpty, !headers.contains(.transferEncoding) else { return nil }
    // As nearly all heads do.
    if lines.count == 1, ASCII.integer(lines[0]) != nil { return nil }
    var announced: Int64?
    for value in lines.flatMap(FieldList.members) {
      guard let length = ASCII.integer(value) else { return "its Content-Length is not a number" }
      guard announced == nil || announced == length else {
        return "it announces two different lengths"
      }
      announced = length
    }
    return nil
  }
}
