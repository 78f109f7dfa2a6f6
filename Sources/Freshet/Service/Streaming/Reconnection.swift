/// When and how often an event stream connects again.
///
/// The pause is the server's `retry:`, or else ``delay``. It doubles with each connection that brings
/// neither an event nor a comment, up to ``maximumDelay``, and a random part of up to half of it is added, so that many
/// clients do not come back at once.
public struct Reconnection: Sendable {
  /// The pause before a new connection unless the server says otherwise; 3 seconds by default.
  public var delay: Duration = .seconds(3)
  /// The longest pause before the random part is added; 60 seconds by default.
  ///
  /// A longer `retry:` is cut to it.
  public var maximumDelay: Duration = .seconds(60)
  /// How many connections in a row may end without an event or a comment before the stream fails
  /// with what ended the last one; 10 by default, `nil` for any number.
  public var maximumFailures: Int? = 10
  /// The longest line, and the longest data of an event, in bytes; 1 MiB by default.
  public var limit = 1 << 20
  /// What pauses are waited on; `nil`, the default, for the client's ``Client/Configuration/clock``.
  public var clock: (any Clock<Duration>)?
  /// Where the random part comes from; `nil`, the default, for the client's
  /// ``Client/Configuration/generator``.
  public var generator: (any RandomNumberGenerator & Sendable)?

  /// Makes the default policy, changed by a closure.
  public init(_ configure: (inout Reconnection) -> Void = { _ in }) {
    configure(&self)
  }

  /// The pause after so many connections in a row without an event, 0 for none; the jitter is a random
  /// number of 0 up to but not including 1.
  func pause(after failures: Int, retry: Duration?, jitter: Double) -> Duration {
    let longest = max(maximumDelay, .zero)
    var pause = min(max(retry ?? delay, .zero), longest)
    for _ in 0..<max(0, min(failures, 32) - 1) {
      pause = min(pause * 2, longest)
    }
    return pause + pause * (jitter / 2)
  }

  /// Whether a failure may pass by itself.
  static func isTransient(_ error: FreshetError) -> Bool {
    switch error {
    case .connection, .timedOut: true
    case .status(let head, _): [408, 429, 500, 502, 503, 504].contains(head.status.rawValue)
    default: false
    }
  }
}
