/// Hands diagnostics to a closure, such as one that logs with a library of one's own.
public struct ClosureSink: DiagnosticSink {
  private let closure: @Sendable (Diagnostic) -> Void

  /// Makes a sink.
  ///
  /// - Parameter closure: Takes a diagnostic; called on whatever thread it happens on.
  public init(_ closure: @escaping @Sendable (Diagnostic) -> Void) {
    self.closure = closure
  }

  /// Calls the closure.
  public func receive(_ diagnostic: Diagnostic) {
    closure(diagnostic)
  }
}
