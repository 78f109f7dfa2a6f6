extension ResponseHead {
  /// The length of the body as the pipeline will see it, or `nil` if only its end will tell.
  ///
  /// With a `Content-Encoding`, `Content-Length` counts the encoded bytes.
  var decodedLength: Int64? {
    guard !headers.contains(.contentEncoding) else { return nil }
    return headers[.contentLength].flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
  }
}
