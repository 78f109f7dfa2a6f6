import Freshet

/// Writes the bodies of a batch to standard output, each completely, in the order of their positions.
///
/// While too many bodies wait for a slow one, the run starts no new items.
final class StandardOutput {
  /// The control that pauses and resumes the run.
  let control = BatchControl()
  private let reporter: any FetchReporter
  private var bodies = OrderedBodies()

  init(_ reporter: any FetchReporter) {
    self.reporter = reporter
  }

  func start(_ place: Int) {
    bodies.start(place)
    hold()
  }

  /// Writes all bodies that are due once this item has ended, and passes the positions of those
  /// that had a reader to `written`; returns `false` if one could not be read or written.
  func end(_ place: Int, _ body: ResourceBody?, written: (Int) -> Void) async -> Bool {
    bodies.end(place, body: body)
    var succeeded = true
    while let due = bodies.takeDue() {
      guard let body = due.body else { continue }
      do throws(FreshetError) {
        if try await write(body) { written(due.place) }
      } catch {
        reporter.makeRoom()
        Console.error("freshet: \(error)")
        reporter.wrote(endingLine: nil)
        succeeded = false
      }
    }
    hold()
    return succeeded
  }

  private func hold() {
    guard bodies.isFull != control.isPaused else { return }
    if bodies.isFull { control.pause() } else { control.resume() }
  }

  /// Writes a body, and returns a Boolean value that indicates whether there is still a reader.
  private func write(_ body: ResourceBody) async throws(FreshetError) -> Bool {
    var last: UInt8?
    var isRead = true
    reporter.makeRoom()
    defer { reporter.wrote(endingLine: last.map { $0 == UInt8(ascii: "\n") }) }
    for try await chunk in body.chunks {
      isRead = try Console.write(chunk)
      last = chunk.last
    }
    return isRead
  }
}
