extension ResponseHead {
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
