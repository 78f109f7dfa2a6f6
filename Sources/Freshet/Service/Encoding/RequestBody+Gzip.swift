extension RequestBody {
  /// The same body compressed with gzip (RFC 1952) while it is sent; a chunk of it is in memory.
  ///
  /// The length is not known before the end. The media type and whether it can be sent again stay.
  /// The server has to be told: ``Request/compressed()`` does both.
  public func gzipped() -> RequestBody {
    let body = self
    return .stream(contentType: contentType, isReplayable: isReplayable) {
      GzipChunks(body: body)
    }
  }
}

extension Request {
  /// The request with its body compressed with gzip, and a `Content-Encoding` field that says so.
  ///
  /// Only for servers that accept it: there is no way to ask before. A request without a body, and
  /// one with a `Content-Encoding`, whose body is encoded already, are returned as they are.
  ///
  /// ```swift
  /// let upload = Request(.put, url, body: .file(log, contentType: .plainText)).compressed()
  /// ```
  public func compressed() -> Request {
    guard let body, !headers.contains(.contentEncoding) else { return self }
    var request = self
    request.body = body.gzipped()
    request.headers[.contentEncoding] = "gzip"
    // It was the length of what is not sent any more.
    request.headers.remove(.contentLength)
    return request
  }
}
