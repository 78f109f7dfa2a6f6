public import Freshet
public import FreshetEssentials

/// A response that a ``ScriptedTransport`` plays back, with optional waits and a failure.
///
/// ```swift
/// let response = ScriptedResponse(200, headers: [.eTag: "\"v1\""], chunks: [first, second])
///   .waiting(for: gate, at: .afterChunks(1))
///   .failing(with: .connection(.lost, url: "http://a.example/"), at: .afterChunks(1))
/// ```
public struct ScriptedResponse: Sendable {
  /// A position in a response.
  public enum Point: Sendable, Hashable {
    /// Before anything happens.
    case beforeHead
    /// After the head and this number of chunks: 0 is right after the head.
    case afterChunks(Int)
  }

  enum Step: Sendable {
    case wait(Gate)
    case sent(TransferProgress)
    case head
    case chunk(Data)
    case serve(@Sendable (ScriptedPeer) async throws -> Void)
    case fail(FreshetError)
    case finish
  }

  let status: HTTPStatus
  let headers: HTTPHeaders
  private let chunks: [Data]
  private var metrics: TransferMetrics?
  private var interruptions: [Point: [Step]] = [:]
  /// The closure that writes the body behind the chunks.
  private var serve: (@Sendable (ScriptedPeer) async throws -> Void)?

  /// Makes a response.
  ///
  /// - Parameters:
  ///   - status: The status code; 200 by default.
  ///   - headers: The header fields, to which nothing is added.
  ///   - chunks: The chunks of the body, each an event of its own; empty ones are left out.
  public init(_ status: HTTPStatus = .ok, headers: HTTPHeaders = [:], chunks: [Data] = []) {
    self.status = status
    self.headers = headers
    self.chunks = chunks.filter { !$0.isEmpty }
  }

  /// Makes a response whose body is one chunk.
  public init(_ status: HTTPStatus = .ok, headers: HTTPHeaders = [:], body: Data) {
    self.init(status, headers: headers, chunks: [body])
  }

  /// Makes a text in UTF-8 with status 200.
  public static func text(_ text: String) -> Self {
    Self(headers: [.contentType: "text/plain; charset=utf-8"], body: Data(text.utf8))
  }

  /// Makes a JSON text; it is sent unchanged.
  public static func json(_ text: String, status: HTTPStatus = .ok) -> Self {
    Self(status, headers: [.contentType: "application/json"], body: Data(text.utf8))
  }

  /// Makes a response whose body a closure writes while it reads that of the request.
  ///
  /// ```swift
  /// let echo = ScriptedTransport { _ in
  ///   .duplex { peer in
  ///     for try await chunk in peer { try await peer.send(chunk) }
  ///   }
  /// }
  /// ```
  ///
  /// The response ends when the closure returns, and fails with the ``/Freshet/FreshetError`` that it throws.
  ///
  /// - Parameters:
  ///   - status: The status code; 200 by default.
  ///   - headers: The header fields, to which nothing is added.
  ///   - serve: A closure that is called for each exchange behind its head, in a task of its own, which is cancelled
  ///     with the exchange.
  /// - Returns: A response.
  public static func duplex(
    _ status: HTTPStatus = .ok,
    headers: HTTPHeaders = [:],
    _ serve: @escaping @Sendable (ScriptedPeer) async throws -> Void
  ) -> Self {
    var response = Self(status, headers: headers)
    response.serve = serve
    return response
  }

  /// Makes a failure instead of a response.
  public static func failure(_ error: FreshetError) -> Self {
    Self().failing(with: error)
  }
}

extension ScriptedResponse {
  /// Ends with a failure at a point; nothing after it happens.
  ///
  /// - Parameters:
  ///   - error: The failure.
  ///   - point: The position; before the head by default. Past the end of the body nothing fails.
  /// - Returns: A response.
  public func failing(with error: FreshetError, at point: Point = .beforeHead) -> Self {
    inserting(.fail(error), at: point)
  }

  /// Waits at a gate.
  ///
  /// - Parameters:
  ///   - gate: The gate. Cancelling the task ends the wait with ``/Freshet/FreshetError/cancelled``.
  ///   - point: The position; before the head by default. Past the end of the body nothing waits.
  /// - Returns: A response.
  public func waiting(for gate: Gate, at point: Point = .beforeHead) -> Self {
    inserting(.wait(gate), at: point)
  }

  /// Reports progress of the upload, before the head.
  public func sending(_ progress: TransferProgress) -> Self {
    inserting(.sent(progress), at: .beforeHead)
  }

  /// Sets the metrics of `finished`; by default only the received bytes are not zero.
  public func metrics(_ metrics: TransferMetrics) -> Self {
    var response = self
    response.metrics = metrics
    return response
  }

  private func inserting(_ step: Step, at point: Point) -> Self {
    var response = self
    response.interruptions[point, default: []].append(step)
    return response
  }

  var steps: [Step] {
    var steps = interruptions[.beforeHead, default: []]
    steps.append(.head)
    steps += interruptions[.afterChunks(0), default: []]
    for (index, chunk) in chunks.enumerated() {
      steps.append(.chunk(chunk))
      steps += interruptions[.afterChunks(index + 1), default: []]
    }
    if let serve { steps.append(.serve(serve)) }
    steps.append(.finish)
    return steps
  }

  /// Returns the metrics of `finished`; `written` are the bytes of a body that a closure has written.
  func finalMetrics(written: Int64) -> TransferMetrics {
    metrics ?? TransferMetrics(bytesReceived: chunks.reduce(written) { $0 + Int64($1.count) })
  }
}
