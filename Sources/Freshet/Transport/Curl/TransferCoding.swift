#if os(Linux)
/// The transfer codings of a response by their names in lower case (RFC 9112 section 7).
enum TransferCoding {
  /// Returns a Boolean value that indicates whether it only frames a body.
  static func isPlain(_ name: String) -> Bool { name == "chunked" || name == "identity" }

  /// Returns a Boolean value that indicates whether nobody knows it: it is none of those that are registered.
  static func isUnknown(_ name: String) -> Bool { !registered.contains(name) }

  private static let registered: Set = [
    "chunked", "identity", "gzip", "x-gzip", "deflate", "compress", "x-compress", "trailers",
  ]
}
#endif
