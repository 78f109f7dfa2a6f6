import FreshetEssentials

/// Parses dictionaries of byte sequences (RFC 9651 sections 3.2 and 3.3.5), such as `sha-256=:…:`.
enum StructuredBytes {
  /// Parses a dictionary; members with values of other types are left out.
  ///
  /// Every member is checked, with its parameters, whatever the type of its value is.
  ///
  /// - Parameter text: The field's lines, joined by commas.
  /// - Returns: The byte sequences by key; the last value of a key counts. `nil` if the field is
  ///   malformed, in which case the whole field must be ignored (section 4.2).
  static func dictionary(_ text: String) -> [String: Data]? {
    StructuredParser.dictionary(text)?.compactMapValues(\.bytes)
  }
}
