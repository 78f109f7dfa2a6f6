import Foundation

/// Writes diagnostics to standard error, one line each.
public struct StandardErrorSink: DiagnosticSink {
  private let minimum: Diagnostic.Level
  private let handle: FileHandle

  /// Creates a sink.
  ///
  /// - Parameter minimum: The lowest level that is written; ``Diagnostic/Level/info`` by default.
  public init(minimum: Diagnostic.Level = .info) {
    self.init(minimum: minimum, handle: .standardError)
  }

  init(minimum: Diagnostic.Level, handle: FileHandle) {
    self.minimum = minimum
    self.handle = handle
  }

  /// Writes a line with the time in UTC, the level and the diagnostic.
  public func receive(_ diagnostic: Diagnostic) {
    guard diagnostic.level >= minimum else { return }
    let time = diagnostic.date.formatted(.iso8601.time(includingFractionalSeconds: true))
    // A closed pipe is not an error here.
    try? handle.write(contentsOf: Data("\(time) \(diagnostic.level) \(diagnostic)\n".utf8))
  }
}
