public import Freshet
public import FreshetEssentials

extension LoopbackServer {
  /// The answer of a route to a request: a response, and its delivery.
  ///
  /// Answers are values that compose: each method returns an answer with one more property.
  ///
  /// ```swift
  /// server.route("/logo.png", .content(png, type: "image/png", eTag: "\"v1\""))
  /// server.route("/broken", .content(png, type: "image/png").truncated(after: 100))
  /// server.route("/flaky", .sequence([.status(503), .text("hello").delayed(until: gate)]))
  /// ```
  public struct Answer: Sendable {
    enum Source: Sendable {
      case content(Content)
      case message(Message)
      case raw(Data)
      case silence
      case echo
      case handler(@Sendable (ReceivedRequest) -> Answer)
      case sequence([Answer])
      case uploads(UploadService)
      case socket(SocketAnswer)
    }

    var source: Source
    var delivery = Delivery()
    var upload: Upload?

    init(_ source: Source) {
      self.source = source
    }

    /// Checks that another answer may choose this one, which it does behind the content of a request.
    func checkIsPart() {
      if case .uploads = source {
        preconditionFailure("a service of uploads is a route of its own")
      }
    }
  }

  /// The handling of the body of a request.
  public enum Upload: Sendable {
    /// Reads all of it and stores it; the default.
    case kept
    /// Reads all of it and counts its bytes, so that its size costs no memory.
    case counted
    /// Answers as soon as the header fields have arrived, then closes the connection.
    case unread
  }
}

extension LoopbackServer.Answer {
  /// Makes a response that is the same for every request.
  ///
  /// - Parameters:
  ///   - status: The status code, at least 200: it is that of the final response.
  ///   - headers: The header fields; `Date` and the framing are added.
  ///   - body: The body; empty by default.
  /// - Returns: An answer.
  public static func response(
    _ status: HTTPStatus,
    headers: HTTPHeaders = [:],
    body: Data = Data()
  ) -> Self {
    checkStatus(status)
    let message = LoopbackServer.Message(status: status, headers: headers, body: .bytes(body))
    return Self(.message(message))
  }

  private static func checkStatus(_ status: HTTPStatus) {
    precondition(!status.isInformational, "a response needs a status of 200 or more")
  }

  /// Makes a status with a short text as its body.
  public static func status(_ status: HTTPStatus, body: String = "") -> Self {
    response(
      status,
      headers: body.isEmpty ? [:] : [.contentType: "text/plain; charset=utf-8"],
      body: Data(body.utf8)
    )
  }

  /// Makes a text in UTF-8 with status 200.
  public static func text(_ text: String) -> Self {
    status(.ok, body: text)
  }

  /// Makes a JSON text with status 200 by default; it is sent unchanged.
  public static func json(_ text: String, status: HTTPStatus = .ok) -> Self {
    response(status, headers: [.contentType: "application/json"], body: Data(text.utf8))
  }

  /// Makes a redirect.
  ///
  /// - Parameters:
  ///   - location: The value of `Location`, sent unchanged: absolute, relative or malformed.
  ///   - status: The status code; 302 by default.
  /// - Returns: An answer.
  public static func redirect(to location: String, status: HTTPStatus = 302) -> Self {
    response(status, headers: [.location: location])
  }

  /// Makes a response with chunked transfer coding: one chunk of the coding for each of `chunks`.
  ///
  /// A client of HTTP/1.0 gets the chunks without the coding, ended by the end of the connection.
  ///
  /// - Parameters:
  ///   - chunks: The chunks; empty ones are omitted, because they would end the body.
  ///   - status: The status code; 200 by default.
  ///   - headers: The header fields; `Date` and the framing are added.
  ///   - trailers: Fields after the last chunk; none by default.
  /// - Returns: An answer.
  public static func chunked(
    _ chunks: [Data],
    status: HTTPStatus = .ok,
    headers: HTTPHeaders = [:],
    trailers: HTTPHeaders = [:]
  ) -> Self {
    checkStatus(status)
    let body = LoopbackServer.Message.Body.chunks(chunks.filter { !$0.isEmpty })
    let message = LoopbackServer.Message(
      status: status,
      headers: headers,
      body: body,
      trailers: trailers
    )
    return Self(.message(message))
  }

  /// Makes a chunked body that never ends: it repeats `chunk` until the client closes the connection.
  ///
  /// - Parameters:
  ///   - chunk: The bytes that are repeated; not empty.
  ///   - headers: The header fields; `Date` and the framing are added.
  /// - Returns: An answer.
  public static func endless(_ chunk: Data, headers: HTTPHeaders = [:]) -> Self {
    precondition(!chunk.isEmpty, "an endless body needs a chunk with at least one byte")
    let message = LoopbackServer.Message(status: .ok, headers: headers, body: .endless(chunk))
    return Self(.message(message))
  }

  /// Sends any bytes instead of a response, valid or not, and closes the connection.
  public static func raw(_ bytes: Data) -> Self {
    Self(.raw(bytes))
  }

  /// Sends any text instead of a response, valid or not, and closes the connection.
  public static func raw(_ text: String) -> Self {
    raw(Data(text.utf8))
  }

  /// Closes the connection instead of a response.
  public static var closeBeforeResponse: Self { Self(.silence) }

  /// Resets the connection instead of a response.
  public static var resetBeforeResponse: Self { Self(.silence).reset(after: 0) }

  /// The request itself as JSON: `method`, `target`, `headers` as pairs, `bodyLength`, and `body`
  /// as text, or `bodyBase64` if it is not UTF-8.
  public static var echo: Self { Self(.echo) }

  /// Answers with the result of a closure, which receives the request with its whole body.
  ///
  /// - Parameter respond: A closure that is called on the server's only thread: it must return soon
  ///   and must not wait. Use ``delayed(until:)`` for an answer that takes time. It must not hold
  ///   the server strongly, or the server is never released.
  /// - Returns: An answer.
  public static func handler(
    _ respond: @escaping @Sendable (LoopbackServer.ReceivedRequest) -> Self
  ) -> Self {
    Self(.handler(respond))
  }

  /// Gives one answer after the other, one for each request; the last one repeats.
  ///
  /// Each route has its own position, from the moment when it was set.
  ///
  /// - Parameter answers: The answers, at least one.
  /// - Returns: An answer.
  public static func sequence(_ answers: [Self]) -> Self {
    precondition(!answers.isEmpty, "a sequence needs at least one answer")
    for answer in answers { answer.checkIsPart() }
    return Self(.sequence(answers))
  }
}
