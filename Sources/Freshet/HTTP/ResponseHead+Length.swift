extension ResponseHead {
  /// The length of the decoded body; `nil` if it is not known before the end.
  ///
  /// With a `Content-Encoding`, `Content-Length` counts the encoded bytes; with a `Transfer-Encoding`, it
  /// counts nothing (RFC 9112 section 6.3).
  var decodedLength: Int64? {
    guard !headers.contains(.contentEncoding), !headers.contains(.transferEncoding) else {
      return nil
    }
    return headers[.contentLength].flatMap { ASCII.integer($0) }
  }
}
