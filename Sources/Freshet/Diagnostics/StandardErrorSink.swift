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
    Self.write("\(time) \(diagnostic.level) \(diagnostic)", to: descriptor)
  }

  /// Writes a line.
  ///
  /// A pipe whose reader has gone is neither an error nor a signal that ends the process.
  package static func write(_ line: String, to descriptor: Int32 = STDERR_FILENO) {
    let line = Data("\(line)\n".utf8)
    try? PipeSignal.withhold(of: descriptor) { () throws(FileFailure) in
      try line.writeAll(to: descriptor)
    }
  }
}
