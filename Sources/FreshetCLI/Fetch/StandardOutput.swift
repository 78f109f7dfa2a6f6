import Foundation
import Freshet

/// Writes the bodies of a batch to standard output, each completely, in the order of their positions.
///
/// While too many bodies wait for a slow one, the run starts no new items.
final class StandardOutput {
  /// The control that pauses and resumes the run.
  let control = BatchControl()
  private let reporter: any FetchReporter
  private let verbosity: Verbosity
  /// A Boolean value that indicates whether binary bodies are written to a terminal.
  private let takesBinaries: Bool
  private var bodies = OrderedBodies()

  /// - Parameters:
  ///   - reporter: The reporter that may share the terminal.
  ///   - options: The options for binary bodies and messages.
  init(_ reporter: any FetchReporter, _ options: FetchOptions) {
    self.reporter = reporter
    verbosity = options.verbosity
    takesBinaries = options.outputIsStandard || !Console.showsOutput
  }

  func start(_ place: Int) {
    bodies.start(place)
    hold()
  }

  /// Writes all bodies that are due once this item has ended, and passes the positions of those
  /// that had a reader to `written`.
  ///
  /// - Returns: The positions of those that could not be read, or were withheld from the terminal.
  /// - Throws: ``FreshetError/file(_:path:)`` if standard output cannot be written.
  func end(
    _ place: Int,
    head: Data = Data(),
    _ body: ResourceBody?,
    written: (Int) -> Void
  ) async throws(FreshetError) -> [Int] {
    bodies.end(place, head: head, body: body)
    var failures: [Int] = []
    while let due = bodies.takeDue() {
      guard let body = due.body else { continue }
      do throws(FreshetError) {
        switch try await write(due.head, body) {
        case .written: written(due.place)
        case .unwanted: break
        case .withheld:
          fail(
            "the body is binary and was not written to the terminal; write it to a file with"
              + " --output FILE or --into DIR, or force it with --output -"
          )
          failures.append(due.place)
        }
      } catch {
        // All later bodies would fail, too.
        if Console.isOutputFailure(error) { throw error }
        fail(error.description)
        failures.append(due.place)
      }
    }
    hold()
    return failures
  }

  private func hold() {
    guard bodies.isFull != control.isPaused else { return }
    if bodies.isFull { control.pause() } else { control.resume() }
  }

  private func fail(_ text: String) {
    reporter.makeRoom()
    verbosity.error(text)
    reporter.wrote(endingLine: nil)
  }

  private enum Outcome {
    case written
    /// The reader has gone away.
    case unwanted
    /// It is no text, and its reader is a terminal.
    case withheld
  }

  private func write(
    _ head: Data,
    _ body: ResourceBody
  ) async throws(FreshetError) -> Outcome {
    var last: UInt8?
    var outcome = Outcome.written
    var isFirst = true
    reporter.makeRoom()
    defer { reporter.wrote(endingLine: last.map { $0 == UInt8(ascii: "\n") }) }
    if !head.isEmpty {
      if try !Console.write(head) { outcome = .unwanted }
      last = head.last
    }
    for try await chunk in body.chunks {
      if isFirst, !takesBinaries, chunk.isBinary { return .withheld }
      isFirst = false
      outcome = try Console.write(chunk) ? .written : .unwanted
      last = chunk.last
    }
    return outcome
  }
}

extension Data {
  /// A Boolean value that indicates whether the beginning of a body is no text.
  ///
  /// Text has no control characters but those for lines, tabs, pages and colours.
  var isBinary: Bool {
    prefix(4_096)
      .contains { byte in
        byte < 0x20 && !(0x07...0x0D).contains(byte) && byte != 0x1B || byte == 0x7F
      }
  }
}
