import Foundation
import Freshet
import Synchronization

/// Reports each event as a JSON object on a line, with exactly the fields that scripts rely on.
final class JSONReporter: FetchReporter {
  /// The lock that keeps lines of several tasks from interleaving.
  private let lock = Mutex(())
  /// The time of the last line on the progress of a batch.
  private let lastBatch = Mutex<ContinuousClock.Instant?>(nil)

  func counted(_ totals: BatchPlan.Totals) {}

  func plan(_ totals: BatchPlan.Totals) throws(FreshetError) {
    var line = JSONLine(event: "plan")
    line.add("items", Int64(totals.items))
    line.add("bytes", totals.bytes)
    line.add("unknown", Int64(totals.unknown))
    line.add("fresh", Int64(totals.fresh))
    try print(line)
  }

  func rejected(_ text: String, _ error: FreshetError) throws(FreshetError) {
    try print(JSONLine(error, of: text, hasStatus: true))
  }

  func started(_ url: String, _ index: Int) {}

  func progress(
    _ progress: TransferProgress,
    _ url: String,
    _ index: Int
  ) throws(FreshetError) {
    var line = JSONLine(event: "progress")
    line.add("url", url)
    line.add("completed", progress.completed)
    line.add("total", progress.total)
    try print(line)
  }

  func value(
    _ resource: Resource,
    _ file: URL?,
    _ url: String,
    _ index: Int
  ) throws(FreshetError) {
    var line = JSONLine(event: "value")
    line.add("url", url)
    line.add("status", Int64(resource.status.rawValue))
    line.add("origin", resource.source.rawValue)
    line.add("freshness", resource.freshness.rawValue)
    line.add("final", resource.isFinal)
    line.add("bytes", resource.body.length)
    line.add("sha256", try resource.sha256().hex)
    line.add("explanation", resource.explanation.map(\.description))
    if let file { line.add("file", file.path) }
    try print(line)
  }

  func error(_ error: FreshetError, _ url: String, _ index: Int) throws(FreshetError) {
    try print(JSONLine(error, of: url, hasStatus: true))
  }

  func unmodified(_ error: FreshetError, _ url: String, _ index: Int) throws(FreshetError) {
    var line = JSONLine(event: "value")
    line.add("url", url)
    line.add("status", Int64(HTTPStatus.notModified.rawValue))
    line.add("origin", (error.source ?? .network).rawValue)
    line.add("freshness", Resource.Freshness.revalidated.rawValue)
    line.add("final", true)
    line.add("bytes", 0)
    line.add("sha256", try ResourceBody(Data()).sha256().hex)
    line.add("explanation", (error.explanation ?? Explanation()).map(\.description))
    try print(line)
  }

  /// Reports at most ten times a second, and the last event.
  func batch(_ progress: BatchProgress, isLast: Bool) throws(FreshetError) {
    let isDue = lastBatch.withLock { last in
      let now = ContinuousClock.now
      if let last, now - last < .milliseconds(100) { return false }
      last = now
      return true
    }
    guard isLast || isDue else { return }
    var line = JSONLine(event: "batch")
    line.add("completed", progress.completedBytes)
    line.add("total", progress.totalBytes)
    line.add("items", Int64(progress.endedItems))
    line.add("of", Int64(progress.totalItems))
    try print(line)
  }

  func advanced(_ progress: BatchProgress) {}
  func note(_ text: String) {}

  func trace(_ line: String) { Console.error(line) }

  // Bodies are not written together with the lines.
  func makeRoom() {}
  func wrote(endingLine: Bool?) {}
  func watch() async {}
  func finish() {}

  private func print(_ line: JSONLine) throws(FreshetError) {
    try lock.withLock { _ throws(FreshetError) in try Console.out(line.text) }
  }
}
