/// The policy of an event stream or a WebSocket for reconnecting.
///
/// The pause is the server's `retry:`, or else ``delay``, and at least ``minimumDelay``. It doubles with
/// each connection that fails or ends without an event, up to ``maximumDelay``, even if the server asks for
/// more. A random part of up to half of it is added, so that many clients do not reconnect at once.
public struct Reconnection: Sendable {
  /// The pause before a new connection unless the server sends another one; 3 seconds by default.
  public var delay: Duration = .seconds(3)
  /// The shortest pause before a new connection, even if the server asks for less; 100 milliseconds
  /// by default.
  public var minimumDelay: Duration = .milliseconds(100)
  /// The longest pause before the random part is added; 60 seconds by default.
  ///
  /// A longer `retry:` is reduced to it.
  public var maximumDelay: Duration = .seconds(60)
  /// The largest number of consecutive connections without an event; 10 by default, `nil` for any number.
  ///
  /// After one more, the stream fails with the last failure. Comments are no events. Each
  /// connection is also retried by the ``RetryPolicy`` of the client, if it has one, so the numbers
  /// multiply.
  public var maximumFailures: Int? = 10
  /// The longest line, and the longest data of an event, in bytes; 1 MiB by default.
  ///
  /// It has no meaning for a WebSocket, see ``WebSocket/Options/messageBytes``.
  public var limit = 1 << 20
  /// The clock for pauses; `nil`, the default, uses the client's ``Client/Configuration/clock``.
  public var clock: (any Clock<Duration>)?
  /// The source of the random part; `nil`, the default, uses the client's
  /// ``Client/Configuration/generator``.
  public var generator: (any RandomNumberGenerator & Sendable)?

  /// Makes the default policy, changed by a closure.
  public init(_ configure: (inout Reconnection) -> Void = { _ in }) {
    configure(&self)
  }

  /// Returns a pause by its number since the last event, from 1, or 0 after silence; the jitter is a random
  /// number from 0 to less than 1.
  func pause(number: Int, retry: Duration?, jitter: Double) -> Duration {
    let shortest = max(minimumDelay, .zero)
    let longest = max(maximumDelay, shortest)
    var pause = min(max(retry ?? delay, shortest), longest)
    for _ in 0..<max(0, min(number, 32) - 1) {
      pause = min(pause * 2, longest)
    }
    return pause + pause * (jitter / 2)
  }

  /// Returns a Boolean value that indicates whether a failure may be transient.
  static func isTransient(_ error: FreshetError) -> Bool {
    if case .timedOut(.connectivity, _) = error { return false }
    return error.isTransient
  }
}
