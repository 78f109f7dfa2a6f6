#if canImport(os)
public import os

/// Writes diagnostics to the unified logging system.
public struct OSLogSink: DiagnosticSink {
  private let logger: Logger

  /// Creates a sink.
  ///
  /// - Parameter logger: The logger. The lines are logged as public, because they contain no secrets.
  public init(_ logger: Logger) {
    self.logger = logger
  }

  /// Logs the diagnostic as a line, at the nearest level of the system.
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
