extension ResponseHead {
  /// What is wrong with the lengths that the head announces, or `nil` (RFC 9112 section 6.3).
  ///
  /// Lengths that contradict each other are how one response is passed off as two.
  var framingProblem: String? {
    guard !headers.contains(.transferEncoding), !isFramedByOneLength else { return nil }
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

  /// Whether it announces one length, which is what nearly all do.
  private var isFramedByOneLength: Bool {
    var count = 0
    for field in headers where field.name == .contentLength {
      guard count == 0, ASCII.integer(field.value) != nil else { return false }
      count = 1
    }
    return true
  }
}
