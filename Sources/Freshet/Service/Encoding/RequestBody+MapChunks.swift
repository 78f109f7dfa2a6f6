public import FreshetEssentials

extension RequestBody {
  /// Returns the body with each chunk passed through a closure, which may wait, such as for a limit
  /// of the bandwidth.
  ///
  /// ```swift
  /// request.body = request.body?.mapChunks { chunk in
  ///   try await pace(chunk.count)
  ///   return chunk
  /// }
  /// ```
  ///
  /// Media type, length and replayability are unchanged; the length of a file is read now. If there
  /// is a length, the closure must not change the number of bytes in all, or the request fails.
  ///
  /// - Parameter transform: A closure that is called for each of the ``chunks`` in order; an error
  ///   fails the request.
  /// - Returns: A body that is read chunk by chunk while it is sent.
  public func mapChunks(
    _ transform: @escaping @Sendable (Data) async throws -> Data
  ) -> RequestBody {
    .stream(length: try? currentLength(), contentType: contentType, isReplayable: isReplayable) {
      PulledChunks(from: chunks.anyIterator) { iterator in
        guard let chunk = try await iterator.next(isolation: #isolation) else { return nil }
        return try await transform(chunk)
      }
    }
  }
}
