import Foundation
import Freshet
import Synchronization

/// Reports each event as one JSON object a line, with exactly the fields that scripts rely on.
struct JSONReporter: FetchReporter {
  /// Lines of several tasks never interleave.
  private let lines = LineLock()

  func progress(_ progress: TransferProgress, _ url: String, _ index: Int) {
    var line = JSONLine(event: "progress")
    line.add("url", url)
    line.add("completed", progress.completed)
    line.add("total", progress.total)
    lines.print(line.text)
  }

  func value(_ resource: Resource, _ url: String, _ index: Int) throws(FreshetError) {
    var line = JSONLine(event: "value")
    line.add("url", url)
    line.add("status", Int64(resource.status.rawValue))
    line.add("origin", resource.origin.rawValue)
    line.add("freshness", resource.freshness.rawValue)
    line.add("final", resource.isFinal)
    line.add("bytes", resource.body.length)
    line.add("sha256", try resource.sha256().hex)
    line.add("explanation", resource.explanation.map(\.description))
    lines.print(line.text)
  }

  func error(_ error: FreshetError, _ url: String, _ index: Int) {
    var line = JSONLine(event: "error")
    line.add("url", url)
    line.add("kind", error.kind)
    line.add("status", error.head.map { Int64($0.status.rawValue) })
    line.add("message", error.description)
    lines.print(line.text)
  }
}

/// Prints one line at a time.
final class LineLock: Sendable {
  private let lock = Mutex(())

  func print(_ line: String) {
    lock.withLock { _ in Console.out(line) }
  }
}
