extension MediaType {
  /// Returns the type and subtype of a response in lower case, as browsers determine them; `nil` if
  /// there is none.
  ///
  /// Parameters are ignored, valid or not. Of several values, the last one that is a media type counts
  /// (Fetch standard, "extract a MIME type").
  ///
  /// - Parameter headers: The fields of the response.
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
