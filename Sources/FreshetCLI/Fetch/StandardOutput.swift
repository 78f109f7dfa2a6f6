import Freshet

/// Writes the bodies of a batch to standard output, each whole, in the order of their places.
///
/// While too much waits behind a slow one, the run starts nothing new.
final class StandardOutput {
  /// Starts and stops the run whose bodies are written.
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

  /// Writes all that is due once this has ended, and hands out the places whose bodies have been
  /// taken by a reader; `false` if one could not be read or written.
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

  /// Whether there is still a reader.
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
