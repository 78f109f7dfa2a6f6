public import Foundation

/// What a request carries: bytes, a file, or chunks that are made while they are sent.
///
/// A body is a description: nothing is read before the request is sent, and files and chunks are
/// read at the pace of the network.
///
/// ```swift
/// let upload = Request(.put, url, body: .file(archive, contentType: MediaType("application", "zip")))
/// ```
public struct RequestBody: Sendable {
  /// A chunked source behind one type.
  public typealias Chunks = any AsyncSequence<Data, any Error> & Sendable

  enum Source: Sendable {
    case bytes(Data)
    case file(URL)
    case stream(@Sendable () -> Chunks)
  }

  let source: Source

  /// The media type that is sent as `Content-Type` unless the request's headers have one.
  public let contentType: MediaType?

  /// The length in bytes, or `nil` when only the end of the chunks will tell.
  ///
  /// A file's length is read when the request is sent.
  public let length: Int64?

  /// Whether the body can be sent again, by a retry or a redirect.
  public let isReplayable: Bool

  /// A body of bytes.
  public static func bytes(_ data: Data, contentType: MediaType? = nil) -> RequestBody {
    RequestBody(
      source: .bytes(data),
      contentType: contentType,
      length: Int64(data.count),
      isReplayable: true
    )
  }

  /// A body of text in UTF-8.
  public static func text(_ text: String) -> RequestBody {
    .bytes(Data(text.utf8), contentType: .plainText)
  }

  /// A body that is read from a file while it is sent; it is never held in memory whole.
  ///
  /// A file that cannot be read fails the request with ``FreshetError/file(_:path:)``.
  public static func file(_ url: URL, contentType: MediaType? = nil) -> RequestBody {
    RequestBody(source: .file(url), contentType: contentType, length: nil, isReplayable: true)
  }

  /// A body of chunks that are pulled as the network takes them, at most one ahead.
  ///
  /// - Parameters:
  ///   - length: The number of bytes in all, if it is known. A stream that yields more or fewer
  ///     fails the request. Without it, HTTP/1.1 sends the body chunked.
  ///   - contentType: The media type of the whole.
  ///   - isReplayable: Whether `chunks` may be called again for a second attempt. `true` means
  ///     that each call starts from the beginning. The default is `false`.
  ///   - chunks: Makes the sequence of chunks; called once an attempt.
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
}
