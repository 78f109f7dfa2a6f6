import Foundation

/// Dictionaries of byte sequences (RFC 9651 sections 3.2 and 3.3.5), such as `sha-256=:…:`.
enum StructuredBytes {
  /// Reads a dictionary; members whose value is something else are left out.
  ///
  /// Every member is checked, with its parameters, whatever its value is.
  ///
  /// - Parameter text: The field's lines, joined by commas.
  /// - Returns: The byte sequences by key, of which the last counts; `nil` if the field is malformed,
  ///   which means that all of it is to be ignored (section 4.2).
  static func dictionary(_ text: String) -> [String: Data]? {
    StructuredParser.dictionary(text)?.compactMapValues(\.self)
  }
}
