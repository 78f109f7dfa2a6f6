public import FreshetEssentials

/// The body of a request: bytes, a file, or chunks that are produced while they are sent.
///
/// A body is a description: nothing is read before the request is sent, and files and chunks are read
/// as fast as the network accepts them.
///
/// ```swift
/// let upload = Request(.put, url, body: .file(archive, contentType: MediaType("application", "zip")))
/// ```
public struct RequestBody: Sendable {
  /// The type of a sequence of chunks.
  public typealias Chunks = any AsyncSequence<Data, any Error> & Sendable

  enum Source: Sendable {
    case bytes(Data)
    case file(URL)
    case stream(@Sendable () -> Chunks)
  }

  let source: Source

  /// The media type that is sent as `Content-Type` unless the request's headers have one.
  public let contentType: MediaType?

  /// The length in bytes; `nil` if it is not known before the end.
  ///
  /// The length of a file is read when the request is sent.
  public let length: Int64?

  /// A Boolean value that indicates whether the body can be sent again, by a retry or a redirect.
  public let isReplayable: Bool

  /// The bytes of a body in memory, such as JSON or a form; `nil` for a file or a stream, which have ``chunks``.
  public var bytes: Data? {
    guard case .bytes(let data) = source else { return nil }
    return data
  }

  /// Creates a body from bytes.
  public static func bytes(_ data: Data, contentType: MediaType? = nil) -> RequestBody {
    RequestBody(
      source: .bytes(data),
      contentType: contentType,
      length: Int64(data.count),
      isReplayable: true
    )
  }

  /// Creates a body from text, in UTF-8.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - contentType: The media type, such as `MediaType("application", "xml")`; plain text by default.
  /// - Returns: The body.
  public static func text(_ text: String, contentType: MediaType = .plainText) -> RequestBody {
    .bytes(Data(text.utf8), contentType: contentType)
  }

  /// Creates a body from a file, which is read while it is sent and never held in memory as a whole.
  ///
  /// If the file cannot be read, the request fails with ``FreshetError/file(_:path:)``.
  public static func file(_ url: URL, contentType: MediaType? = nil) -> RequestBody {
    RequestBody(source: .file(url), contentType: contentType, length: nil, isReplayable: true)
  }

  /// Creates a body from chunks that are pulled as the network accepts them, at most one ahead.
  ///
  /// - Parameters:
  ///   - length: The total number of bytes, if it is known. A stream with another length fails the
  ///     request, of which the server has received a part then; with 0, none is read. Without it,
  ///     HTTP/1.1 sends the body chunked.
  ///   - contentType: The media type of the body; none by default.
  ///   - isReplayable: A Boolean value that indicates whether `chunks` may be called again for another
  ///     attempt, and then starts from the beginning. The default is `false`.
  ///   - chunks: A closure that returns the sequence of chunks; called once per attempt.
  /// - Returns: A body.
  public static func stream(
    length: Int64? = nil,
    contentType: MediaType? = nil,
    isReplayable: Bool = false,
    _ chunks: @escaping @Sendable () -> Chunks
  ) -> RequestBody {
    RequestBody(
      source: .stream(chunks),
      contentType: contentType,
      length: length,
      isReplayable: isReplayable
    )
  }

  /// Creates a body from the chunks of any sequence, such as an `AsyncStream` or the body of
  /// another response, which are pulled as the network accepts them.
  ///
  /// ```swift
  /// let copy = Request(.put, backup, body: .stream { client.stream(Request(url)) })
  /// ```
  ///
  /// - Parameters:
  ///   - length: The total number of bytes, if it is known. A stream with another length fails the
  ///     request. Without it, HTTP/1.1 sends the body chunked.
  ///   - contentType: The media type of the body; none by default.
  ///   - isReplayable: A Boolean value that indicates whether `chunks` may be called again for
  ///     another attempt, and then starts from the beginning. The default is `false`.
  ///   - chunks: A closure that returns the sequence of chunks; called once per attempt.
  /// - Returns: A body.
  public static func stream<Stream: AsyncSequence & Sendable>(
    length: Int64? = nil,
    contentType: MediaType? = nil,
    isReplayable: Bool = false,
    _ chunks: @escaping @Sendable () -> Stream
  ) -> RequestBody where Stream.Element == Data {
    .stream(length: length, contentType: contentType, isReplayable: isReplayable) {
      let stream = chunks()
      return PulledChunks(from: stream.makeAsyncIterator()) { iterator in
        try await iterator.next(isolation: #isolation)
      }
    }
  }
}
