import FreshetEssentials

/// Writes diagnostics to standard error, one line each.
public struct StandardErrorSink: DiagnosticSink {
  private let minimum: Diagnostic.Level
  private let descriptor: Int32

  /// Creates a sink.
  ///
  /// - Parameter minimum: The lowest level that is written; ``Diagnostic/Level/info`` by default.
  public init(minimum: Diagnostic.Level = .info) {
    self.init(minimum: minimum, descriptor: STDERR_FILENO)
  }

  init(minimum: Diagnostic.Level, descriptor: Int32) {
    self.minimum = minimum
    self.descriptor = descriptor
  }

  /// Writes a line with the time in UTC, the level and the diagnostic.
  public func receive(_ diagnostic: Diagnostic) {
    guard diagnostic.level >= minimum else { return }
    let time = diagnostic.date.formatted(.iso8601.time(includingFractionalSeconds: true))
    // A closed pipe is not an error here.
    try? Data("\(time) \(diagnostic.level) \(diagnostic)\n".utf8).writeAll(to: descriptor)
  }
}
