public import FreshetEssentials
import Synchronization

/// The diagnostics of calls as one stream, for logs, debugging screens and bug reports.
///
/// ```swift
/// let diagnostics = Diagnostics(sinks: [StandardErrorSink()])
/// let client = Client { $0.diagnostics = diagnostics }
/// for await diagnostic in diagnostics.events { print(diagnostic) }
/// ```
public final class Diagnostics: Sendable {
  private let minimum: Diagnostic.Level
  /// The largest body that is shown, in bytes.
  let bodyLimit: Int
  private let sinks: [any DiagnosticSink]
  private let now: @Sendable () -> Date
  private let bulletin: LossyBroadcast<Diagnostic>
  private let callCount = Atomic(0)

  /// Creates a stream.
  ///
  /// - Parameters:
  ///   - minimum: The lowest level that is reported; ``Diagnostic/Level/debug`` by default.
  ///     ``Diagnostic/Level/trace`` includes header fields and bodies, without secrets.
  ///   - bodyLimit: The largest body that is shown at that level, in bytes; 4 KiB by default. Of a
  ///     larger one only the length is shown.
  ///   - capacity: The number of diagnostics that are kept for ``recent`` and for slow readers; 1,000
  ///     by default.
  ///   - sinks: Further receivers of each diagnostic; none by default.
  ///   - now: A closure that returns the current time; the system's by default.
  public init(
    minimum: Diagnostic.Level = .debug,
    bodyLimit: Int = 4 << 10,
    capacity: Int = 1_000,
    sinks: [any DiagnosticSink] = [],
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.minimum = minimum
    self.bodyLimit = bodyLimit
    self.sinks = sinks
    self.now = now
    bulletin = LossyBroadcast(capacity: capacity)
  }

  /// The newest diagnostics, in order.
  public var recent: [Diagnostic] { bulletin.recent }

  /// The diagnostics from now on.
  ///
  /// - Each iterator gets all diagnostics since it was made, in order.
  /// - A reader that falls behind by more than the capacity misses the oldest ones; calls never wait
  ///   for readers.
  /// - The sequence only ends when the reading task is cancelled.
  public var events: some AsyncSequence<Diagnostic, Never> & Sendable {
    LossyBroadcastSequence(bulletin: bulletin)
  }

  /// A Boolean value that indicates whether header fields and bodies are shown.
  var showsMessages: Bool { minimum <= .trace }

  func nextCall() -> Int { callCount.add(1, ordering: .relaxed).newValue }

  func note(_ occurrence: Diagnostic.Occurrence, of call: Int, _ request: Request) {
    guard occurrence.level >= minimum else { return }
    let diagnostic = Diagnostic(
      level: occurrence.level,
      date: now(),
      call: call,
      method: request.method,
      url: Redaction.shown(request.url),
      tags: request.tags,
      occurrence: occurrence
    )
    bulletin.post(diagnostic)
    for sink in sinks {
      sink.receive(diagnostic)
    }
  }
}

/// A receiver of diagnostics.
public protocol DiagnosticSink: Sendable {
  /// Receives a diagnostic; called on the thread on which it occurs, so it must be fast.
  ///
  /// ``TraceContext/current`` is that of the call; of a shared transfer, that of the fetch that
  /// began it.
  func receive(_ diagnostic: Diagnostic)
}
