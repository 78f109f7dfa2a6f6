#if !canImport(Darwin)
/// Decodes one content coding incrementally.
protocol ContentCodec: AnyObject {
  /// A Boolean value that indicates whether the encoded form has ended.
  ///
  /// It is also `true` after a member of a format that allows several: more input begins the next one.
  var isComplete: Bool { get }

  /// Decodes some of the input.
  ///
  /// - Parameters:
  ///   - input: The encoded bytes; empty to get more output of earlier ones.
  ///   - room: The buffer for the output. A step that fills it may have more output.
  /// - Returns: The bytes consumed and produced, or `nil` if the input is not valid.
  func decode(
    _ input: UnsafeRawBufferPointer,
    into room: UnsafeMutableRawBufferPointer
  ) -> Step?
}

extension ContentCodec {
  /// The numbers of bytes consumed and produced.
  typealias Step = (consumed: Int, produced: Int)
}
#endif
