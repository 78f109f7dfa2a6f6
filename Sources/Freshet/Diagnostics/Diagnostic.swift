public import FreshetEssentials

/// An event in the life of a call, for logs and for finding the cause of a problem.
///
/// It contains no query. It contains header fields and bodies only at the level ``Level/trace``,
/// without secrets. Its description is one line.
public struct Diagnostic: Sendable {
  /// The importance of a diagnostic.
  public enum Level: Int, Sendable, Comparable, CaseIterable {
    /// Header fields and bodies, which ``Diagnostics`` omits by default.
    case trace = -1
    /// The steps of every call.
    case debug
    /// Calls that ended successfully.
    case info
    /// Calls with a detour: redirects and retries.
    case notice
    /// Calls that were answered with a status of 400 or above.
    case warning
    /// Calls that failed.
    case error

    /// Returns whether the left level is less important.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// The kinds of events.
  public enum Occurrence: Sendable, Hashable {
    /// The call has begun.
    case started
    /// The request with which the call has begun.
    case requested(DiagnosticMessage)
    /// The response of the call, with its body.
    case responded(HTTPStatus, DiagnosticMessage)
    /// A redirect was followed.
    case redirected(to: String)
    /// The call waits for the network.
    case waitingForConnectivity
    /// An attempt failed; the attempt with this number follows after a pause.
    case retrying(attempt: Int, after: Duration, because: String)
    /// The response has begun.
    case answered(HTTPStatus)
    /// The response is complete.
    case finished(HTTPStatus?, TransferMetrics)
    /// The call has failed.
    case failed(kind: String, String)
    /// The call was cancelled, or its reader abandoned it.
    case cancelled
  }

  /// The importance of the diagnostic.
  public let level: Level
  /// The time of the event.
  public let date: Date
  /// The number of the call; calls of one ``Diagnostics`` are counted from 1.
  public let call: Int
  /// The method of the request.
  public let method: HTTPMethod
  /// The URL of the request before redirects, without user, password, query and fragment.
  public let url: String
  /// The tags of the request.
  public let tags: Set<String>
  /// The event.
  public let occurrence: Occurrence
}

extension Diagnostic.Occurrence {
  var level: Diagnostic.Level {
    switch self {
    case .requested, .responded: .trace
    case .started, .answered: .debug
    case .redirected, .retrying, .waitingForConnectivity: .notice
    case .finished(let status, _): status.map { $0.rawValue >= 400 } ?? false ? .warning : .info
    case .cancelled: .info
    case .failed: .error
    }
  }
}

extension Diagnostic: CustomStringConvertible {
  /// The diagnostic as one line, such as `#3 GET https://example.org/logo: 200, 4321 bytes in 41 ms`.
  public var description: String { Printable.line("#\(call) \(method) \(url): \(occurrence)") }
}

extension Diagnostic.Occurrence: CustomStringConvertible {
  /// The event as a short phrase; control characters are escaped.
  public var description: String { Printable.line(words) }

  private var words: String {
    switch self {
    case .started: "started"
    case .requested(let message): "sent \(message)"
    case .responded(let status, let message): "received \(status) \(message)"
    case .redirected(let target): "redirected to \(target)"
    case .waitingForConnectivity: "waiting for the network"
    case .retrying(let attempt, let pause, let reason):
      "attempt \(attempt) in \(pause.rounded): \(reason)"
    case .answered(let status): "answered \(status)"
    case .finished(let status, let metrics):
      (status.map { "\($0), " } ?? "")
        + "\(metrics.bytesReceived) bytes in \(metrics.total.rounded)"
    case .failed(_, let reason): "failed: \(reason)"
    case .cancelled: "cancelled"
    }
  }
}
