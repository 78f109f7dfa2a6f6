/// When and how often an event stream connects again.
///
/// The pause is the server's `retry:`, or else ``delay``, and at least ``minimumDelay``. It doubles with
/// each connection that fails or ends without an event, up to ``maximumDelay``, whatever the server
/// says. A random part of up to half of it is added, so that many clients do not come back at once.
public struct Reconnection: Sendable {
  /// The pause before a new connection unless the server says otherwise; 3 seconds by default.
  public var delay: Duration = .seconds(3)
  /// The shortest pause before a new connection, also where the server asks for less; 100
  /// milliseconds by default.
  public var minimumDelay: Duration = .milliseconds(100)
  /// The longest pause before the random part is added; 60 seconds by default.
  ///
  /// A longer `retry:` is cut to it.
  public var maximumDelay: Duration = .seconds(60)
  /// The largest number of connections in a row without an event; 10 by default, `nil` for any number.
  ///
  /// After one more, the stream fails with what ended that. Comments are no events.
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
    let shortest = max(minimumDelay, .zero)
    let longest = max(maximumDelay, shortest)
    var pause = min(max(retry ?? delay, shortest), longest)
    for _ in 0..<max(0, min(failures, 32) - 1) {
      pause = min(pause * 2, longest)
    }
    return pause + pause * (jitter / 2)
  }

  /// Whether a failure may pass by itself.
  static func isTransient(_ error: FreshetError) -> Bool {
    switch error {
    case .timedOut(.total, _): false
    case .connection, .timedOut: true
    case .status(let head, _): [408, 429, 500, 502, 503, 504].contains(head.status.rawValue)
    default: false
    }
  }
}
