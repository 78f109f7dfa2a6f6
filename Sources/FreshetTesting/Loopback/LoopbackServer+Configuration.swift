public import FreshetEssentials

extension LoopbackServer {
  /// The configuration of a server.
  public struct Configuration: Sendable {
    /// The port on 127.0.0.1; 0, the default, lets the system choose.
    public var port: UInt16 = 0
    /// The largest request line with its header fields in bytes; 64 KiB by default.
    ///
    /// A larger one is answered with 431.
    public var maximumHeadBytes = 64 * 1024
    /// The largest body that is kept in memory in bytes; 64 MiB by default.
    ///
    /// A larger one is answered with 413, unless the route only counts, see
    /// ``LoopbackServer/Answer/upload(_:)``.
    public var maximumBodyBytes: Int64 = 64 << 20
    /// The number of the newest requests in ``LoopbackServer/requests``; 10,000 by default.
    public var requestLimit = 10_000
    /// The size of the sockets' send buffers in bytes; the system's choice by default.
    ///
    /// With a small one a test soon detects that a reader is slow. The system may round it.
    public var sendBufferBytes: Int?
    /// A closure that returns the time of the `Date` field; the system's time by default.
    public var now: @Sendable () -> Date = { Date() }

    /// Makes the default configuration.
    public init() {}
  }
}
