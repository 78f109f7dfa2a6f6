#if canImport(os)
public import os

/// Writes diagnostics to the system's log.
public struct OSLogSink: DiagnosticSink {
  private let logger: Logger

  /// Makes a sink.
  ///
  /// - Parameter logger: Where the lines go. They are public: they hold no secrets.
  public init(_ logger: Logger) {
    self.logger = logger
  }

  /// Writes a line with the level that comes nearest.
  public func receive(_ diagnostic: Diagnostic) {
    logger.log(level: diagnostic.level.logType, "\(diagnostic.description, privacy: .public)")
  }
}

extension Diagnostic.Level {
  fileprivate var logType: OSLogType {
    switch self {
    case .trace, .debug: .debug
    case .info: .info
    case .notice, .warning: .default
    case .error: .error
    }
  }
}
#endif
