extension ResponseHead {
  /// What is wrong with the lengths that the head announces, or `nil` (RFC 9112 section 6.3).
  ///
  /// Lengths that contradict each other are how one response is passed off as two.
  var framingProblem: String? {
    guard !headers.contains(.transferEncoding) else { return nil }
    var announced: Int64?
    for value in headers.members(of: .contentLength) {
      guard let length = ASCII.integer(value) else { return "its Content-Length is not a number" }
      guard announced == nil || announced == length else {
        return "it announces two different lengths"
      }
      announced = length
    }
    return nil
  }
}
