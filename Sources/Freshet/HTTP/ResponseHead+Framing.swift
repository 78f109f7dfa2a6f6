extension ResponseHead {
  /// The problem with the lengths that the head declares, or `nil` (RFC 9112 section 6.3).
  ///
  /// Contradicting lengths allow response smuggling.
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

  /// A Boolean value that indicates whether the head declares at most one length, as nearly all do.
  private var isFramedByOneLength: Bool {
    let name = HTTPHeaders.Name.contentLength
    guard let first = headers.firstIndex(where: { $0.name == name }) else { return true }
    return ASCII.integer(headers[first].value) != nil
      && !headers[(first + 1)...].contains { $0.name == name }
  }
}
