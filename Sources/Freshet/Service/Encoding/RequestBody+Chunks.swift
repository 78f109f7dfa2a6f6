import FreshetEssentials

extension RequestBody {
  /// The bytes from the beginning, whatever the source, for transports of your own.
  ///
  /// - The sequence is pulled: a chunk, of at most 64 KiB for bytes and files, is made on demand.
  /// - A file is opened by the first `next` and fails with ``FreshetError/file(_:path:)``.
  /// - It may be read once for each attempt, and by further attempts only if ``isReplayable``.
  public var chunks: Chunks {
    switch source {
    case .bytes(let data): ByteChunks(data: data)
    case .file(let url): FileChunks(url: url)
    case .stream(let chunks): chunks()
    }
  }

  /// The number of bytes that are read or compressed at a time.
  static let chunkByteCount = 64 << 10
}

/// Bytes in memory, in small pieces, so that a slow reader does not retain all of them.
struct ByteChunks: AsyncSequence, Sendable {
  let data: Data

  func makeAsyncIterator() -> Iterator { Iterator(rest: data) }

  struct Iterator: AsyncIteratorProtocol {
    var rest: Data

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Data? {
      guard !rest.isEmpty else { return nil }
      let chunk = rest.prefix(RequestBody.chunkByteCount)
      rest = rest.dropFirst(chunk.count)
      return chunk
    }
  }
}

/// A file, opened when it is first read.
struct FileChunks: AsyncSequence, Sendable {
  let url: URL

  func makeAsyncIterator() -> Iterator { Iterator(url: url) }

  struct Iterator: AsyncIteratorProtocol {
    let url: URL
    var file: OpenFile?
    var offset: Int64 = 0

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Data? {
      let file = try self.file ?? FileChunks.open(url).file
      self.file = file
      let chunk = try FileFailure.reporting(at: url.path) { () throws(FileFailure) in
        try file.read(at: offset, count: RequestBody.chunkByteCount)
      }
      offset += Int64(chunk.count)
      return chunk.isEmpty ? nil : chunk
    }
  }

  /// Returns the file's current length.
  static func length(of url: URL) throws(FreshetError) -> Int64 {
    Int64(try open(url).status.st_size)
  }

  private static func open(_ url: URL) throws(FreshetError) -> (file: OpenFile, status: stat) {
    try FileFailure.reporting(at: url.path) { () throws(FileFailure) in
      try OpenFile.regular(url.path)
    }
  }
}

@available(*, unavailable)
extension ByteChunks.Iterator: Sendable {}
@available(*, unavailable)
extension FileChunks.Iterator: Sendable {}
