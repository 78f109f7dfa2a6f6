public import Foundation

/// Something that happened to a call, for whoever looks for the reason of something.
///
/// It holds no query, and header fields and bodies only at the level ``Level/trace``, secrets hidden; its
/// description is one line.
public struct Diagnostic: Sendable {
  /// How much it matters.
  public enum Level: Int, Sendable, Comparable, CaseIterable {
    /// Header fields and bodies, which a ``Diagnostics`` leaves out unless it is asked for them.
    case trace = -1
    /// The steps of every call.
    case debug
    /// Calls that ended as they should.
    case info
    /// Calls that took another way: redirects, retries.
    case notice
    /// Calls that were answered by a status of 400 or above.
    case warning
    /// Calls that failed.
    case error

    /// Whether the left level matters less.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// What happened.
  public enum Occurrence: Sendable, Hashable {
    /// The call has begun.
    case started
    /// The request that the call has begun with.
    case requested(DiagnosticMessage)
    /// The response that the call has got, with its body.
    case responded(HTTPStatus, DiagnosticMessage)
    /// It went elsewhere.
    case redirected(to: String)
    /// An attempt failed, and this one follows after a pause.
    case retrying(attempt: Int, after: Duration, because: String)
    /// The response has begun.
    case answered(HTTPStatus)
    /// The response is complete.
    case finished(HTTPStatus?, TransferMetrics)
    /// The call has failed.
    case failed(kind: String, String)
    /// The call was cancelled, or nobody read on.
    case cancelled
  }

  /// How much it matters.
  public let level: Level
  /// When it happened.
  public let date: Date
  /// The number of the call; calls of one ``Diagnostics`` are counted from 1.
  public let call: Int
  /// The method of the request.
  public let method: HTTPMethod
  /// Where the request went first, without user, password, query and fragment.
  public let url: String
  /// The tags of the request.
  public let tags: Set<String>
  /// What happened.
  public let occurrence: Occurrence
}

extension Diagnostic.Occurrence {
  var level: Diagnostic.Level {
    switch self {
    case .requested, .responded: .trace
    case .started, .answered: .debug
    case .redirected, .retrying: .notice
    case .finished(let status, _): status.map { $0.rawValue >= 400 } ?? false ? .warning : .info
    case .cancelled: .info
    case .failed: .error
    }
  }
}

extension Diagnostic: CustomStringConvertible {
  /// One line, such as `#3 GET https://example.org/logo: 200, 4321 bytes in 41 ms`.
  public var description: String {
    Printable.line("#\(call) \(method) \(url): \(occurrence)")
  }
}

extension Diagnostic.Occurrence: CustomStringConvertible {
  /// The occurrence as a few words; control characters from outside are escaped.
  public var description: String { Printable.line(words) }

  private var words: String {
    switch self {
    case .started: "started"
    case .requested(let message): "sent \(message)"
    case .responded(let status, let message): "received \(status) \(message)"
    case .redirected(let target): "redirected to \(target)"
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
