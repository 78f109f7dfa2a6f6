public import Foundation
import Synchronization

/// One stream of what happens to calls, for logs, debugging screens and bug reports.
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
  private let bulletin: Bulletin<Diagnostic>
  private let callCount = Mutex(0)

  /// Makes a stream.
  ///
  /// - Parameters:
  ///   - minimum: What matters less is left out; ``Diagnostic/Level/debug`` by default.
  ///     ``Diagnostic/Level/trace`` shows header fields and bodies too, secrets hidden.
  ///   - bodyLimit: The largest body that is shown at that level, in bytes; 4 KiB by default. Of a larger one
  ///     the length is shown.
  ///   - capacity: How many diagnostics are kept for ``recent`` and for readers that are slow;
  ///     1,000 by default.
  ///   - sinks: Who else gets each diagnostic; nobody by default.
  ///   - now: The time; the system's by default.
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
    bulletin = Bulletin(capacity: capacity)
  }

  /// The newest diagnostics, in order.
  public var recent: [Diagnostic] { bulletin.recent }

  /// What happens from now on.
  ///
  /// - Each iterator gets everything in order, from when it was made.
  /// - Who reads slower than the capacity allows misses the oldest; nobody waits for a reader.
  /// - It ends when the task that reads is cancelled, and not before.
  public var events: some AsyncSequence<Diagnostic, Never> & Sendable {
    BulletinSequence(bulletin: bulletin)
  }

  /// A Boolean value that indicates whether header fields and bodies are shown.
  var showsMessages: Bool { minimum <= .trace }

  func nextCall() -> Int {
    callCount.withLock { count in
      count += 1
      return count
    }
  }

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

/// Something that gets diagnostics as they happen.
public protocol DiagnosticSink: Sendable {
  /// Takes a diagnostic; called on whatever thread it happens on, so it must be quick.
  func receive(_ diagnostic: Diagnostic)
}
