import Foundation
import Freshet
import Synchronization

/// Reports to a person on standard error: on a terminal a bar for the whole and lines for running
/// items; everywhere a line for each result with its origin and the reasons.
final class TextReporter: FetchReporter {
  private let board: Mutex<ProgressBoard>
  /// A Boolean value that indicates whether bodies go to the same terminal.
  private let sharesTerminal = Console.showsOutput && Console.terminalWidth != nil

  private let verbosity: Verbosity
  /// The header fields of all requests, whose secrets are hidden in the bodies of errors.
  private let headers: HTTPHeaders

  init(isBatch: Bool, _ verbosity: Verbosity, sending headers: HTTPHeaders = [:]) {
    self.verbosity = verbosity
    self.headers = headers
    let width = verbosity.showsNotes ? Console.boardWidth : nil
    board = Mutex(ProgressBoard(width: width, showsItems: isBatch))
  }

  func counted(_ totals: BatchPlan.Totals) {
    redraw { $0.planned = totals }
  }

  func plan(_ totals: BatchPlan.Totals) {
    board.withLock { $0.planned = nil }
    var parts = ["\(totals.items) to fetch"]
    if totals.fresh > 0 { parts.append("\(totals.fresh) of them need nothing") }
    parts.append(ProgressBar.bytes(Double(totals.bytes)))
    if totals.unknown > 0 { parts.append("\(totals.unknown) of unknown size") }
    tell(parts.joined(separator: ", "))
  }

  func rejected(_ text: String, _ error: FreshetError) {
    guard verbosity.showsErrors else { return }
    let advice = Advice.text(for: error).map { " (\($0))" } ?? ""
    let problem = Style.bad(Printable.line(error.description))
    print("\(URLText.shown(text)): \(problem)\(advice)")
  }

  func started(_ url: String, _ index: Int) {
    board.withLock { $0.start(URLText.shown(url), index) }
  }

  func progress(_ progress: TransferProgress, _ url: String, _ index: Int) {
    redraw { $0.advance(progress, index) }
  }

  func value(_ resource: Resource, _ file: URL?, _ url: String, _ index: Int) {
    let mark = resource.isFinal ? "" : " (not final)"
    let style: Style = resource.freshness == .stale ? .doubtful : .good
    let place = file.map { " to \(Printable.line($0.relativePath))" } ?? ""
    let line =
      "\(URLText.shown(url)): \(resource.status), \(resource.body.length) bytes\(place) from "
      + "\(resource.source.rawValue), "
      + style("\(resource.freshness.rawValue)\(mark)") + ": "
      + Style.faint(resource.explanation.map(\.description).joined(separator: "; "))
    if resource.isFinal { board.withLock { $0.end(index) } }
    tell(line)
  }

  func error(_ error: FreshetError, _ url: String, _ index: Int) {
    board.withLock { $0.end(index) }
    rejected(url, error)
    guard verbosity.showsErrors else { return }
    guard case .status(let head, let body) = error else { return }
    let text = BodyExcerpt.text(body) {
      SecretRules.standard.hidingSecrets(in: $0, of: head, sent: headers)
    }
    if let text { print(text) }
  }

  func unmodified(_ error: FreshetError, _ url: String, _ index: Int) {
    board.withLock { $0.end(index) }
    tell("\(URLText.shown(url)): 304, not modified")
  }

  func batch(_ progress: BatchProgress, isLast: Bool) {
    advanced(progress)
    guard isLast else { return }
    let done = progress.endedItems - progress.failedItems
    let failed = progress.failedItems > 0 ? ", \(progress.failedItems) failed" : ""
    let bytes = ProgressBar.bytes(Double(progress.completedBytes))
    tell("\(done) of \(progress.totalItems) done\(failed), \(bytes)")
  }

  func advanced(_ progress: BatchProgress) {
    redraw { $0.advance(progress) }
  }

  func note(_ text: String) {
    tell(Printable.line(text))
  }

  func trace(_ line: String) {
    print(line)
  }

  func makeRoom() {
    board.withLock { board in
      Console.show(board.clear())
      board.isHidden = sharesTerminal
    }
  }

  func wrote(endingLine: Bool?) {
    board.withLock { board in
      board.isHidden = false
      if sharesTerminal, let endingLine { board.isLineOpen = !endingLine }
    }
  }

  func watch() async {
    guard Console.boardWidth != nil, verbosity.showsNotes else { return }
    while (try? await Task.sleep(for: .milliseconds(200))) != nil {
      redraw { _ in }
    }
  }

  func finish() {
    board.withLock { board in
      Console.show(board.clear())
      board.isHidden = true
    }
  }

  /// Changes the board, and shows it if an update is due.
  private func redraw(_ change: (inout ProgressBoard) -> Void) {
    board.withLock { board in
      change(&board)
      Console.show(board.picture(at: .now))
    }
  }

  /// Prints what is no error.
  private func tell(_ line: String) {
    if verbosity.showsNotes { print(line) }
  }

  private func print(_ line: String) {
    board.withLock { Console.show($0.clear() + $0.closeLine() + line + "\n") }
  }
}
