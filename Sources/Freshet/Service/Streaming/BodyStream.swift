public import FreshetEssentials

/// The body of a response as it arrives, see ``Client/stream(_:)``.
///
/// - Cold: each iterator sends the request.
/// - Pulled: a slow reader slows the socket, and nothing is buffered.
/// - A status outside of 2xx fails with ``FreshetError/status(_:body:)``, with at most the first 64
///   KiB of the body; ``reject(as:with:)`` decodes it.
/// - Every media type is read, unless ``validate(contentType:)`` states the accepted ones.
/// - It ends after the last chunk, or throws once. Releasing the iterator or cancelling the task
///   ends the transfer.
///
/// ```swift
/// for try await line in client.stream(.get("log")).lines() { print(line) }
/// ```
public struct BodyStream: AsyncSequence, Sendable {
  let request: Request
  let transport: any Transport
  /// The lists of media types, each of which must contain that of the body.
  var contentTypes: [ContentTypes] = []

  /// Makes an iterator; nothing is sent yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(transfer: transport.send(request).makeAsyncIterator(), contentTypes: contentTypes)
  }

  /// Fails for a body of another media type, such as the page of a captive portal, with
  /// ``FreshetError/decoding(_:head:body:)``, which contains the head and the first chunk.
  ///
  /// - The first chunk fails it, and is not delivered. A response without a body passes.
  /// - An error response fails by its status, whatever its type is.
  ///
  /// ```swift
  /// let events = client.stream(.get("chat")).validate(contentType: "text/event-stream").events()
  /// ```
  ///
  /// - Parameter types: The types that are accepted, such as ``ContentTypes/json`` or `"text/*"`.
  /// - Returns: The same stream; `reject(as:)`, `lines()`, `ndjson(_:)` and `events()` follow it.
  public func validate(contentType types: ContentTypes) -> BodyStream {
    var stream = self
    stream.contentTypes.append(types)
    return stream
  }

  /// Pulls the chunks of one body.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var transfer: Transfer.Iterator
    /// The lists that are still to be compared.
    fileprivate var contentTypes: [ContentTypes]
    fileprivate var known: ResponseHead?
    fileprivate var isOver = false

    /// Waits for the response's head, without consuming the body.
    ///
    /// - Parameter actor: The actor on which the caller runs.
    /// - Returns: The head, immediately if it has arrived.
    /// - Throws: The failure of the transfer; ``FreshetError/status(_:body:)`` outside of 2xx.
    public mutating func head(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> ResponseHead {
      while known == nil, !isOver {
        _ = try await receive()
      }
      guard let known else { throw .noValue }
      return known
    }

    /// Waits for the next chunk; `nil` after the last.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Data? {
      while !isOver {
        if let chunk = try await receive() { return chunk }
      }
      return nil
    }

    private mutating func receive() async throws(FreshetError) -> Data? {
      do throws(FreshetError) {
        switch try await transfer.next() {
        case .head(let head):
          guard head.status.isSuccess else {
            throw FreshetError.status(head, body: try await transfer.refusalBody())
          }
          known = head
        case .body(let chunk):
          try requireContentTypes(of: chunk)
          return chunk
        case .finished, nil: isOver = true
        case .waitingForConnectivity, .sent, .redirected, .retrying, .interim: break
        }
        return nil
      } catch {
        isOver = true
        throw error
      }
    }

    private mutating func requireContentTypes(of chunk: Data) throws(FreshetError) {
      guard !contentTypes.isEmpty, !chunk.isEmpty, let known else { return }
      let response = Response(head: known, value: chunk)
      for types in contentTypes { try response.requireContentType(types, of: "\(types)") }
      contentTypes = []
    }
  }
}

@available(*, unavailable)
extension BodyStream.Iterator: Sendable {}

// MARK: - Description

extension BodyStream: PipelineDescribable, CustomStringConvertible {
  /// The request whose response is streamed.
  package var words: PipelineDescription {
    contentTypes.reduce(PipelineDescription("\(request)", ".stream()")) { words, types in
      words.adding(".validate(contentType: \(types))")
    }
  }
}
