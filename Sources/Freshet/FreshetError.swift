public import Foundation

/// Why a pipeline ended without a value.
///
/// It is the failure of every pipeline: whatever goes wrong below is wrapped once, with all that is
/// known there. URLs in it are shown without user, password, query and fragment; headers and bodies
/// are kept but never described.
public enum FreshetError: Error, Sendable, Equatable {
  /// The request was not sent, because sending it would be wrong or dangerous.
  case invalidRequest(_ reason: String, url: String)
  /// The task was cancelled, or the handle's `cancel()` was called.
  case cancelled
  /// No connection could be made, or it broke before the response was complete.
  case connection(ConnectionFailure, url: String)
  /// The server's certificate or its TLS is not acceptable.
  case insecure(_ reason: String, url: String)
  /// The credentials that the request needs could not be renewed or made.
  case unauthenticated(_ reason: String, url: String)
  /// Something took longer than ``Request/Timeouts`` allows.
  case timedOut(TimeoutPhase, url: String)
  /// The bytes that came are not a valid response.
  case invalidResponse(_ reason: String, url: String)
  /// The response costs more than ``ResponseLimits`` allows.
  case limitExceeded(_ limit: Limit, url: String)
  /// A redirect was not followed although one had to be.
  case redirect(_ reason: String, head: ResponseHead)
  /// The response's status is not one that has a resource.
  case status(ResponseHead, body: Data)
  /// The body could not become the value that was asked for.
  ///
  /// The head is `nil` where a body stream has no response, as lines from a file.
  case decoding(DecodingFailure, head: ResponseHead?, body: Data)
  /// The body is not the one that was promised.
  case corrupted(expected: String, actual: String, url: String)
  /// Nothing is stored for the request, and the pipeline may not ask the network.
  case notStored(url: String)
  /// A file could not be read or written.
  case file(_ reason: String, path: String)
  /// A store could not keep or find something.
  case store(_ reason: String)
  /// The pipeline ended without a value.
  case noValue
}

extension FreshetError {
  /// How a connection failed.
  public enum ConnectionFailure: Sendable, Hashable {
    /// The host's name has no address.
    case unknownHost
    /// Nobody listens there.
    case refused
    /// The connection was closed or reset.
    case lost
    /// The body ended before its announced length.
    case truncated
    /// The proxy does not answer or does not agree.
    case proxy
    /// The host has failed so often that it is left alone for a while; nothing was sent.
    case suspended
    /// Anything else, in the transport's words.
    case other(String)
  }

  /// What took too long.
  public enum TimeoutPhase: String, Sendable, Hashable {
    /// Name lookup, connection and TLS.
    case connect
    /// Waiting for the response's head.
    case firstByte
    /// Waiting for more bytes.
    case idle
    /// The whole call.
    case total
  }

  /// Which limit was exceeded.
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
  }
}

extension FreshetError {
  /// A short name of the case that stays the same between versions, such as `timedOut`.
  public var kind: String {
    switch self {
    case .invalidRequest: "invalidRequest"
    case .cancelled: "cancelled"
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
    case .noValue: "noValue"
    }
  }

  /// Where the answer of ``status(_:body:)`` came from, if it came from a fetch of a resource: stores keep
  /// a 404 or a 410 as long as it says.
  public var origin: Resource.Origin? { head?.notes.story?.origin }

  /// The decisions that led to the answer of ``status(_:body:)``, if it came from a fetch of a resource.
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
