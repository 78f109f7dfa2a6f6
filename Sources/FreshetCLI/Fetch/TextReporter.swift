import Foundation
import Freshet
import Synchronization

/// Reports to a person on standard error: on a terminal a bar for the whole and lines for running
/// items; everywhere a line for each result with its origin and the reasons.
final class TextReporter: FetchReporter {
  private let board: Mutex<ProgressBoard>
  private let isBatch: Bool
  /// A Boolean value that indicates whether bodies go to the same terminal.
  private let sharesTerminal = Console.showsOutput && Console.terminalWidth != nil

  init(isBatch: Bool) {
    self.isBatch = isBatch
    board = Mutex(ProgressBoard(width: Console.boardWidth, showsItems: isBatch))
  }

  func counted(_ totals: BatchPlan.Totals) {
    board.withLock { board in
      board.planned = totals
      Console.show(board.picture(at: .now))
    }
  }

  func plan(_ totals: BatchPlan.Totals) {
    board.withLock { $0.planned = nil }
    var parts = ["\(totals.items) to fetch"]
    if totals.fresh > 0 { parts.append("\(totals.fresh) of them fresh in the store") }
    parts.append(ProgressBar.bytes(Double(totals.bytes)))
    if totals.unknown > 0 { parts.append("\(totals.unknown) of unknown size") }
    print(parts.joined(separator: ", "))
  }

  func rejected(_ text: String, _ error: FreshetError) {
    let advice = Advice.text(for: error).map { " (\($0))" } ?? ""
    let problem = Style.bad(Printable.line(error.description))
    print("\(Printable.line(text)): \(problem)\(advice)")
  }

  func started(_ url: String, _ index: Int) {
    board.withLock { $0.start(Printable.line(url), index) }
  }

  func progress(_ progress: TransferProgress, _ url: String, _ index: Int) {
    board.withLock { board in
      board.advance(progress, index)
      Console.show(board.picture(at: .now))
    }
  }

  func value(_ resource: Resource, _ url: String, _ index: Int) {
    let mark = resource.isFinal ? "" : " (not final)"
    let style: Style = resource.freshness == .stale ? .doubtful : .good
    let line =
      "\(Printable.line(url)): \(resource.status), \(resource.body.length) bytes from "
      + "\(resource.origin.rawValue), "
      + style("\(resource.freshness.rawValue)\(mark)") + ": "
      + Style.faint(resource.explanation.map(\.description).joined(separator: "; "))
    if resource.isFinal { board.withLock { $0.end(index) } }
    print(line)
  }

  func error(_ error: FreshetError, _ url: String, _ index: Int) {
    board.withLock { $0.end(index) }
    rejected(url, error)
    if case .status(_, let body) = error, let text = BodyExcerpt.text(body) { print(text) }
  }

  func batch(_ progress: BatchProgress, isLast: Bool) {
    board.withLock { board in
      board.advance(progress)
      Console.show(board.picture(at: .now))
    }
    guard isLast else { return }
    let done = progress.endedItems - progress.failedItems
    let failed = progress.failedItems > 0 ? ", \(progress.failedItems) failed" : ""
    let bytes = ProgressBar.bytes(Double(progress.completedBytes))
    print("\(done) of \(progress.totalItems) done\(failed), \(bytes)")
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
    guard Console.boardWidth != nil else { return }
    while (try? await Task.sleep(for: .milliseconds(200))) != nil {
      board.withLock { Console.show($0.picture(at: .now)) }
    }
  }

  func finish() {
    board.withLock { board in
      Console.show(board.clear())
      board.isHidden = true
    }
  }

  private func print(_ line: String) {
    board.withLock { Console.show($0.clear() + $0.closeLine() + line + "\n") }
  }
}
