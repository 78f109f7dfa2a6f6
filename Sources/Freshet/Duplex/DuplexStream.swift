public import FreshetEssentials

/// A request whose body is written while its response is read, see ``Client/duplex(_:_:)``.
///
/// ```swift
/// let stream = client.duplex(.post("echo"))
/// var chunks = stream.makeAsyncIterator()
/// try await stream.send("ping")
/// let pong = try await chunks.next()
/// stream.finish()
/// ```
///
/// - Cold: the request is sent by the first iteration, `send`, `finish` or ``head``, unless its task is cancelled.
///   It is a call of the client: header fields, credentials, interceptors and diagnostics apply to it.
/// - Iterating delivers the bytes of the response's body as they arrive. Its chunks are not those that the server
///   wrote. Iterators share them. Leaving a loop keeps the stream; the next loop goes on with the next chunk.
/// - `send` waits while ``Options/buffer`` bytes wait to be sent. A reader that does not ask stops the server
///   with the same number of bytes, beside the transport's window. It may stop `send` as well, because the
///   server's permission to send more is behind these bytes: read in a task beside the one that sends.
/// - Both directions have one end. A failure comes out of `send`, ``head`` and the iteration, after the bytes
///   that arrived before it. Each iterator gets it once, also one that begins later.
/// - Cancelling the task that iterates or waits for ``head``, ``cancel()``, and releasing the stream and its
///   iterators end both directions at once. The server sees that the body is not complete.
///
/// With HTTP/2 a server can answer at any time (RFC 9113 section 8.1). With HTTP/1.1 it depends on the server, and
/// on each proxy: many answer only after the whole body, so that an app that waits for an answer first would wait
/// for ever. See ``Options/requiresHTTP2``, and <doc:Uploads> for servers that end before the app does.
public final class DuplexStream: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = Data

  let session: DuplexSession

  init(_ session: DuplexSession) {
    self.session = session
  }

  deinit {
    session.cancel()
  }

  /// Makes an iterator of the response's body; nothing is sent yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(stream: self)
  }

  /// Pulls the chunks of the response's body.
  public struct Iterator: AsyncIteratorProtocol {
    let stream: DuplexStream
    var isOver = false

    /// Waits for the next chunk; `nil` after the end of the response.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Data? {
      try await stream.session.next(&isOver)
    }
  }
}

@available(*, unavailable)
extension DuplexStream.Iterator: Sendable {}

extension DuplexStream {
  /// The options of a stream.
  public struct Options: Sendable {
    /// The number of bytes that wait in each direction, to be sent and for the reader, before `send` waits, or the
    /// stream stops reading; 64 KiB by default.
    ///
    /// One chunk always has room.
    public var buffer = 64 << 10
    /// A Boolean value that indicates whether the stream fails, before anything is sent, if the server does not
    /// speak HTTP/2; `false` by default.
    ///
    /// The failure is ``FreshetError/connection(_:url:)``, or ``FreshetError/invalidRequest(_:url:)`` for a URL
    /// with `http`, unless a `CurlTransport` without a proxy speaks HTTP/2 by prior knowledge. `URLSession` does
    /// not tell before the end of a call which version it uses, so that on Apple platforms only the URL is checked.
    /// Other transports, such as a replay, check nothing.
    public var requiresHTTP2 = false

    /// Makes the default options, changed by a closure.
    public init(_ configure: (inout Options) -> Void = { _ in }) {
      configure(&self)
    }
  }
}

// MARK: - Sending

extension DuplexStream {
  /// Sends bytes as the next part of the request's body.
  ///
  /// It returns as soon as they are in the buffer; their order is that of the calls. It waits while the buffer is
  /// full, which a server that does not read makes it.
  ///
  /// - Parameter bytes: The bytes.
  /// - Throws: The failure of the stream; ``FreshetError/connection(_:url:)`` after the end of the response,
  ///   ``FreshetError/invalidRequest(_:url:)`` after ``finish()``, and ``FreshetError/cancelled`` when the task is
  ///   cancelled before the bytes are in the buffer.
  public func send(_ bytes: Data) async throws(FreshetError) {
    try await session.send(bytes)
  }

  /// Sends a text in UTF-8, see `send`.
  public func send(_ text: String) async throws(FreshetError) {
    try await send(Data(text.utf8))
  }

  /// Ends the request's body behind the bytes that wait.
  ///
  /// The response can still be read. Finishing again has no effect.
  public func finish() {
    session.finish()
  }

  /// Ends both directions at once, with ``FreshetError/cancelled``; has no effect after the end.
  public func cancel() {
    session.cancel()
  }

  /// The head of the response, which is waited for.
  ///
  /// Many servers send it only with the first bytes of a body, and wait for the request's before.
  ///
  /// - Throws: The failure of a stream that has no response; ``FreshetError/cancelled`` when the task is cancelled.
  public var head: ResponseHead {
    get async throws(FreshetError) { try await session.head() }
  }
}

// MARK: - Description

extension DuplexStream: PipelineDescribable, CustomStringConvertible {
  /// The request.
  package var words: PipelineDescription {
    PipelineDescription(
      "\(session.request)",
      ".duplex(over: \(PipelineText.transport(session.transport)))"
    )
  }
}
