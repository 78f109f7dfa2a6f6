import FreshetEssentials

/// The chunks of a body, which a closure returns.
typealias PulledChunks<State> = PulledSequence<State, Data, any Error>

extension RequestBody {
  /// The bytes from the beginning, whatever the source, for transports of your own.
  ///
  /// - The sequence is pulled: a chunk, of at most 64 KiB for bytes and files, is made on demand.
  /// - A file is opened by the first `next` and fails with ``FreshetError/file(_:path:)``.
  /// - It may be read once for each attempt, and by further attempts only if ``isReplayable``.
  public var chunks: Chunks {
    switch source {
    case .bytes(let data):
      // In small pieces, so that a slow reader does not retain all of them.
      PulledChunks(from: data) { rest in
        guard !rest.isEmpty else { return nil }
        let chunk = rest.prefix(Self.chunkByteCount)
        rest = rest.dropFirst(chunk.count)
        return chunk
      }
    case .file(let url):
      PulledChunks(from: (file: OpenFile?.none, offset: Int64(0))) { state in
        let file = try state.file ?? Self.open(url).file
        state.file = file
        let chunk = try FileFailure.reporting(at: url.path) { () throws(FileFailure) in
          try file.read(at: state.offset, count: Self.chunkByteCount)
        }
        state.offset += Int64(chunk.count)
        return chunk.isEmpty ? nil : chunk
      }
    case .stream(let chunks): chunks()
    }
  }

  /// The number of bytes that are read or compressed at a time.
  static let chunkByteCount = 64 << 10

  /// Returns the length that the body, or its file, has now; `nil` for a stream of unknown length.
  func currentLength() throws(FreshetError) -> Int64? {
    guard case .file(let url) = source else { return length }
    return Int64(try Self.open(url).status.st_size)
  }

  private static func open(_ url: URL) throws(FreshetError) -> (file: OpenFile, status: stat) {
    try FileFailure.reporting(at: url.path) { () throws(FileFailure) in
      try OpenFile.regular(url.path)
    }
  }
}
