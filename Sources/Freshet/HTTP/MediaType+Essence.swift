extension MediaType {
  /// Returns the type and subtype in lower case that a response has, as browsers read them; `nil` without one.
  ///
  /// Parameters do not count, however they are written, and of several values the last that is a media
  /// type does (Fetch standard, "extract a MIME type").
  ///
  /// - Parameter headers: The response's fields.
  /// - Returns: The essence, such as `text/event-stream`.
  static func essence(in headers: HTTPHeaders) -> String? {
    headers.members(of: .contentType).lazy.reversed().compactMap { essence(of: $0[...]) }
      .first { $0 != "*/*" }
  }

  private static func essence(of text: Substring) -> String? {
    let essence = ASCII.trimmed(Substring(text.utf8.prefix { $0 != UInt8(ascii: ";") }))
    let parts = essence.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ ASCII.isToken($0) }) else { return nil }
    return ASCII.lowercased(essence)
  }
}
