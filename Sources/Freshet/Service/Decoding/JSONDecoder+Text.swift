import FreshetEssentials

extension JSONDecoder {
  /// Returns the decoder, if it can be given a body.
  ///
  /// One that allows JSON5 ends the process at a word that is not UTF-8, where it takes the body for
  /// UTF-8.
  ///
  /// - Throws: A reason if it cannot.
  func reading(_ data: Data) throws -> JSONDecoder {
    guard !allowsJSON5 || Self.isWide(data) || String(validating: data, as: UTF8.self) != nil else {
      throw DecodingFailure.Reason("the body is not text in utf-8")
    }
    return self
  }

  /// A Boolean value that indicates whether the decoder takes a text for UTF-16 or UTF-32, by its mark
  /// or the zeros around ASCII characters.
  private static func isWide(_ data: Data) -> Bool {
    if let (encoding, _) = TextEncoding.mark(of: data) { return encoding != .utf8 }
    let start = Array(data.prefix(4))
    return start.count == 4 && (start[0] == 0 && start[2] == 0 || start[1] == 0 && start[3] == 0)
  }
}
