public import FreshetEssentials

/// The reason why a pipeline ended without a value.
///
/// It is the failure of every pipeline: a lower-level error is wrapped once, with all information
/// that is available there. URLs in it have no user, password, query and fragment; headers and
/// bodies are included but never part of a description.
public enum FreshetError: Error, Sendable, Equatable {
  /// The request was not sent, because sending it would be wrong or dangerous.
  ///
  /// A streamed body that fails, or has another length than it announced, is found out while it is sent:
  /// the server has received a part of such a request, and may have acted on it.
  case invalidRequest(_ reason: String, url: String)
  /// The task was cancelled, or the handle's `cancel()` was called.
  case cancelled
  /// No connection could be made, or it broke before the response was complete.
  case connection(ConnectionFailure, url: String)
  /// The server's certificate or its TLS version is not accepted.
  case insecure(_ reason: String, url: String)
  /// The request's credentials could not be made or renewed.
  case unauthenticated(_ reason: String, url: String)
  /// A phase took longer than ``Request/Timeouts`` or ``WebSocket/KeepAlive`` allows.
  case timedOut(TimeoutPhase, url: String)
  /// The received bytes are no valid response.
  case invalidResponse(_ reason: String, url: String)
  /// The response exceeds ``ResponseLimits``.
  case limitExceeded(_ limit: Limit, url: String)
  /// A redirect that is required for a response was not followed.
  case redirect(_ reason: String, head: ResponseHead)
  /// The response's status is not a success, so that there is no value.
  ///
  /// A fetch of a resource, a download and a stream keep only the first 64 KiB of the body, whatever the
  /// `Content-Length` in the head is. ``Client/send(_:limit:)`` delivers it whole, also with
  /// ``CallOptions/useStores(_:)``.
  case status(ResponseHead, body: Data)
  /// The body could not be decoded to the requested value.
  ///
  /// The head is `nil` if a body stream has no response, such as lines from a file.
  case decoding(DecodingFailure, head: ResponseHead?, body: Data)
  /// The body's digest is not the expected one.
  case corrupted(expected: String, actual: String, url: String)
  /// Nothing is stored for the request, and the pipeline may not ask the network.
  case notStored(url: String)
  /// A file could not be read or written.
  case file(_ reason: String, path: String)
  /// A store could not store or find something.
  case store(_ failure: StoreFailure)
  /// A WebSocket was closed: by its server with a code other than 1000, 1001 and none, or, for those that still
  /// use it, by the app.
  case closed(WebSocket.Close, url: String)
  /// The client takes no new calls, because ``Client/shutdown(grace:)`` was called.
  case shutDown(url: String)
  /// The pipeline ended without a value.
  case noValue
}

extension FreshetError {
  /// The reason why a connection failed.
  public enum ConnectionFailure: Sendable, Hashable {
    /// The host's name has no address.
    case unknownHost
    /// The host refused the connection.
    case refused
    /// There is no way to the host, such as to one that is switched off, or none to its network.
    case unreachable
    /// The connection was closed or reset.
    case lost
    /// The body broke off before its announced length, or before the end of its chunks.
    case truncated
    /// The proxy does not answer, or refuses.
    case proxy
    /// The host is not contacted for a while, because it has failed too often (``CircuitPolicy``), or because a
    /// limit shared with other processes would let the request wait for longer than it has; nothing was sent.
    ///
    /// The duration is the rest of the pause. After failures, the next request is sent as a probe then; it is zero
    /// while a probe is under way.
    case suspended(for: Duration)
    /// Any other failure, described by the transport.
    case other(String)
  }

  /// The phase that took too long.
  public enum TimeoutPhase: String, Sendable, Hashable {
    /// Name lookup, connection and TLS.
    case connect
    /// Waiting for the response's head.
    case firstByte
    /// Waiting for more bytes.
    case idle
    /// Waiting for a sign of life on a WebSocket, see ``WebSocket/KeepAlive``.
    case keepAlive
    /// The whole call.
    case total
    /// Waiting for the network, see ``Request/Timeouts/waitsForConnectivity``.
    case connectivity
  }

  /// The limit that was exceeded.
  public enum Limit: Sendable, Hashable {
    /// More fields than ``ResponseLimits/headerCount``.
    case headerCount(Int)
    /// More bytes of headers than ``ResponseLimits/headerBytes``.
    case headerBytes(Int)
    /// A larger body than ``ResponseLimits/bodyBytes``.
    case bodyBytes(Int64)
    /// A body that grows by more than ``ResponseLimits/decompressionRatio``.
    case decompressionRatio(Int)
    /// A line, or the data of one server-sent event, that is longer than its reader allows.
    case lineBytes(Int)
    /// A message of a WebSocket that is longer than ``WebSocket/Options/messageBytes``.
    case messageBytes(Int)
  }
}

extension FreshetError {
  /// A short name of the case that stays the same between versions, such as `timedOut`.
  ///
  /// The error of an open circuit, and of a shared limit, is `suspended`, all other connection failures are `connection`.
  public var kind: String {
    switch self {
    case .invalidRequest: "invalidRequest"
    case .cancelled: "cancelled"
    case .connection(.suspended, _): "suspended"
    case .connection: "connection"
    case .insecure: "insecure"
    case .unauthenticated: "unauthenticated"
    case .timedOut: "timedOut"
    case .invalidResponse: "invalidResponse"
    case .limitExceeded: "limitExceeded"
    case .redirect: "redirect"
    case .status: "status"
    case .decoding: "decoding"
    case .corrupted: "corrupted"
    case .notStored: "notStored"
    case .file: "file"
    case .store: "store"
    case .closed: "closed"
    case .shutDown: "shutDown"
    case .noValue: "noValue"
    }
  }

  /// The source of the response in ``status(_:body:)``, if it came from a fetch of a resource:
  /// stores keep an error response while it is fresh.
  public var source: Resource.Source? { head?.notes.story?.source }

  /// The decisions that led to the response in ``status(_:body:)``, if it came from a fetch of a resource.
  ///
  /// It is `nil` for every error without a ``head``, such as ``connection(_:url:)``, ``timedOut(_:url:)``
  /// and ``notStored(url:)``.
  public var explanation: Explanation? { head?.notes.story?.explanation }

  /// The head of the response, if there was one.
  public var head: ResponseHead? {
    switch self {
    case .redirect(_, let head), .status(let head, _): head
    case .decoding(_, let head, _): head
    default: nil
    }
  }
}
