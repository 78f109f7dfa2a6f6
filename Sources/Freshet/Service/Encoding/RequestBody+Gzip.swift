import CZlib
import FreshetEssentials

extension RequestBody {
  /// Returns the body compressed with gzip (RFC 1952) while it is sent; one chunk is in memory at a time.
  ///
  /// The length is unknown before the end. The media type and the replayability are unchanged. The
  /// request needs a `Content-Encoding`, which ``Request/compressed()`` adds.
  public func gzipped() -> RequestBody {
    .stream(contentType: contentType, isReplayable: isReplayable) {
      PulledChunks(from: (chunks: chunks.anyIterator, deflater: Deflater(.gzip) as Deflater?)) {
        state in
        while let deflater = state.deflater.take() {
          // After a failure the trailer must not follow, or the truncated body would seem complete.
          if Task.isCancelled { throw FreshetError.cancelled }
          let chunk = try await state.chunks.next(isolation: #isolation)
          if chunk != nil { state.deflater = deflater }
          let compressed = deflater.deflate(
            chunk ?? Data(),
            chunk == nil ? Z_FINISH : Z_NO_FLUSH
          )
          if !compressed.isEmpty { return compressed }
        }
        return nil
      }
    }
  }
}

extension Request {
  /// Returns the request with its body compressed with gzip, and a `Content-Encoding` field.
  ///
  /// Use it only for servers that accept it; a client cannot ask in advance. A request without a body,
  /// and one with a `Content-Encoding`, whose body is encoded already, are returned unchanged.
  ///
  /// ```swift
  /// let upload = Request(.put, url, body: .file(log, contentType: .plainText)).compressed()
  /// ```
  public func compressed() -> Request {
    guard let body, !headers.contains(.contentEncoding) else { return self }
    var request = self
    request.body = body.gzipped()
    request.headers[.contentEncoding] = "gzip"
    // It was the length of the uncompressed body.
    request.headers.remove(.contentLength)
    return request
  }
}
