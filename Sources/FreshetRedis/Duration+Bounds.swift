#if Redis && !canImport(Darwin)
extension Duration {
  /// The longest duration that the scripts of the server count with exactly: 136 years.
  static var longest: Duration { .seconds(1 << 32) }

  /// Returns the nearest duration from a shortest one to ``longest``.
  func bounded(from shortest: Duration = .zero) -> Duration {
    min(max(self, shortest), .longest)
  }

  /// The shortest pause between two commands that are repeated: the server has other work.
  static var shortestPause: Duration { .milliseconds(10) }

  /// The microseconds, from zero to those of ``longest``.
  var microseconds: Int64 {
    let (seconds, attoseconds) = bounded().components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  /// The milliseconds, from zero to those of ``longest``.
  var milliseconds: Int64 { microseconds / 1_000 }
}

extension SharedStore.Configuration {
  /// The configuration with times that can be counted with, and a connection at least.
  var bounded: SharedStore.Configuration {
    var bounded = self
    bounded.timeout = timeout.bounded()
    bounded.connectTimeout = connectTimeout.bounded()
    bounded.longestPause = longestPause.bounded(from: .shortestPause)
    bounded.connectionCount = max(1, connectionCount)
    return bounded
  }

  /// The largest reply, in bytes: a body, and the records of all variants of a key.
  var replyLimit: Int {
    let (limit, isTooLarge) = bodyLimit.addingReportingOverflow(16 << 20)
    return isTooLarge ? .max : max(limit, 16 << 20)
  }
}

extension SharedStore.Coalescing {
  /// The limits with times that can be counted with; a shorter lease would be renewed all the time.
  var bounded: SharedStore.Coalescing {
    SharedStore.Coalescing(lease: lease.bounded(from: .milliseconds(100)), wait: wait.bounded())
  }
}
#endif
