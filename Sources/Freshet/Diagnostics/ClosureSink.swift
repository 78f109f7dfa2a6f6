/// Passes diagnostics to a closure, such as one that logs with your own library.
public struct ClosureSink: DiagnosticSink {
  private let closure: @Sendable (Diagnostic) -> Void

  /// Creates a sink.
  ///
  /// - Parameter closure: A closure that receives each diagnostic, on the thread on which it occurs.
  public init(_ closure: @escaping @Sendable (Diagnostic) -> Void) {
    self.closure = closure
  }

  /// Calls the closure.
  public func receive(_ diagnostic: Diagnostic) {
    closure(diagnostic)
  }
}
