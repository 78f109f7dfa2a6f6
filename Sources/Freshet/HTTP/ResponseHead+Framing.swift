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
    let name = HTTPHeaders.Name.contentLength
    guard let first = headers.firstIndex(where: { $0.name == name }) else { return true }
    return ASCII.integer(headers[first].value) != nil
      && !headers[(first + 1)...].contains { $0.name == name }
  }
}
