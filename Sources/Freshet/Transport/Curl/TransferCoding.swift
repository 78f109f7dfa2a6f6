#if !canImport(Darwin)
/// Classifies the transfer codings of a response by their names in lower case (RFC 9112 section 7).
enum TransferCoding {
  /// Returns whether a coding only frames the body.
  static func isPlain(_ name: String) -> Bool { name == "chunked" || name == "identity" }

  /// Returns whether a coding is not registered.
  static func isUnknown(_ name: String) -> Bool { !isPlain(name) && !registered.contains(name) }

  private static let registered: Set = [
    "gzip", "x-gzip", "deflate", "compress", "x-compress", "trailers",
  ]
}
#endif
