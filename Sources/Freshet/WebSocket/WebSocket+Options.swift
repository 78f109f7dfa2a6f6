extension WebSocket {
  /// The options of a socket.
  public struct Options: Sendable {
    /// The protocols that the server may choose from, the preferred one first; none by default.
    ///
    /// If one of them contains a token, such as `bearer.…`, none is sent to another origin by a redirect.
    public var protocols: [String] = []
    /// The longest message that is received, in bytes; 16 MiB by default.
    ///
    /// A longer one closes the socket with the code 1009, before all of it has arrived.
    public var messageBytes = 16 << 20
    /// A Boolean value that indicates whether the socket offers to compress messages (permessage-deflate, RFC
    /// 7692); `false` by default.
    ///
    /// - Each message is compressed for itself, if the server agrees and if that makes it shorter. Messages of less
    ///   than 64 bytes stay as they are.
    /// - ``messageBytes`` is the limit of the expanded message, of which no byte beyond it is expanded.
    /// - Do not put a secret and text that others choose into one message: its length reveals what they have in
    ///   common.
    /// - On Apple platforms it has no effect.
    public var compresses = false
    /// The number of bytes of messages that can wait in each direction: for the reader, before the socket
    /// stops reading, and for the connection, before `send` waits; 64 KiB by default.
    ///
    /// One message always has room.
    public var buffer = 64 << 10
    /// The pings on a silent connection; after 30 seconds of silence by default, `nil` for none.
    public var keepAlive: KeepAlive? = KeepAlive()
    /// A closure that returns the first message of each connection, such as one that signs in or resumes; `nil`, the
    /// default, sends none, and so does a closure that returns `nil`.
    ///
    /// It is called when the server has agreed to the socket. Nothing is sent or received until it returns; then its
    /// message is sent before those that wait. If the connection breaks before that, the next one has its own. Its
    /// task is cancelled when the socket ends meanwhile.
    public var greeting: (@Sendable () async -> Message?)?
    /// The longest time for closing: for sending the waiting messages, and for the server's answer; 5 seconds
    /// by default.
    public var closing: Duration = .seconds(5)
    /// The policy of opening another connection when one breaks; `nil`, the default, for none.
    ///
    /// A connection on which nothing but a close has arrived counts as a failure. Connections that break, answers with a
    /// status that may pass, and closes with 1001 and 1011 to 1014 are followed by another one, after at least
    /// ``Reconnection/minimumDelay``.
    public var reconnection: Reconnection?

    /// Makes the default options, changed by a closure.
    public init(_ configure: (inout Options) -> Void = { _ in }) {
      configure(&self)
    }
  }

  /// The pings on a silent connection.
  ///
  /// Silence does not count while the socket does not read because its own reader is slow.
  public struct KeepAlive: Sendable, Hashable {
    /// The time without received bytes after which a ping is sent; 30 seconds by default, zero for no pings.
    public var interval: Duration
    /// The time after a ping without received bytes after which the connection is given up; 10 seconds by
    /// default.
    public var timeout: Duration

    /// Makes a keep-alive.
    public init(interval: Duration = .seconds(30), timeout: Duration = .seconds(10)) {
      self.interval = interval
      self.timeout = timeout
    }
  }
}
