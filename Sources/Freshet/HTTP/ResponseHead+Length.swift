extension ResponseHead {
  /// The length of the decoded body; `nil` if it is not known before the end.
  ///
  /// With a `Content-Encoding`, `Content-Length` counts the encoded bytes.
  var decodedLength: Int64? {
    guard !headers.contains(.contentEncoding) else { return nil }
    return headers[.contentLength].flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
  }
}
