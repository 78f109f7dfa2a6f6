public import Foundation

extension LoopbackServer {
  /// What a server is made with.
  public struct Configuration: Sendable {
    /// Where it listens on 127.0.0.1; 0, the default, lets the system choose.
    public var port: UInt16 = 0
    /// The largest request line with its header fields in bytes; 64 KiB by default.
    ///
    /// More is answered with 431.
    public var maximumHeadBytes = 64 * 1024
    /// The largest body that is kept in memory in bytes; 64 MiB by default.
    ///
    /// More is answered with 413, unless the route only counts, see
    /// ``LoopbackServer/Answer/upload(_:)``.
    public var maximumBodyBytes: Int64 = 64 << 20
    /// How many of the newest requests are kept for ``LoopbackServer/requests``; 10,000 by default.
    public var requestLimit = 10_000
    /// The size of the sockets' send buffers in bytes; the system's choice by default.
    ///
    /// A small one lets a test see soon that a reader is slow. The system may round it.
    public var sendBufferBytes: Int?
    /// What the `Date` field says; the system's time by default.
    public var now: @Sendable () -> Date = { Date() }

    /// Makes the default configuration.
    public init() {}
  }
}
