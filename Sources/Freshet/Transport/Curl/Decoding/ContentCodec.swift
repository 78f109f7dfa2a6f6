#if os(Linux)
/// Undoes one content coding, a step at a time.
protocol ContentCodec: AnyObject {
  /// Whether the encoded form has come to its end.
  ///
  /// A member of a form that may have several is one too: more input begins the next.
  var isComplete: Bool { get }

  /// Decodes some of a piece.
  ///
  /// - Parameters:
  ///   - input: The piece; empty to get more of what was taken before.
  ///   - room: Where the output goes. A step that fills it may not have put out all.
  /// - Returns: What was done, or `nil` if the piece is not in this coding.
  func decode(
    _ input: UnsafeRawBufferPointer,
    into room: UnsafeMutableRawBufferPointer
  ) -> ContentStep?
}

/// What one step of a codec has done, in bytes.
struct ContentStep {
  var consumed: Int
  var produced: Int
}
#endif
