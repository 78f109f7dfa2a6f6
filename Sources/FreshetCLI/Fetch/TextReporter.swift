import Foundation
import Freshet
import Synchronization

/// Reports to a person on standard error: a progress bar, and a line for each result that says where
/// it came from and why.
final class TextReporter: FetchReporter {
  private let bar: Mutex<ProgressBar>

  init(count: Int) {
    bar = Mutex(ProgressBar(count: count, width: Console.terminalWidth))
  }

  func progress(_ progress: TransferProgress, _ url: String, _ index: Int) {
    bar.withLock { $0.show(progress, of: index, at: .now) }
  }

  func value(_ resource: Resource, _ url: String, _ index: Int) {
    let mark = resource.isFinal ? "" : " (not final)"
    let line =
      "\(url): \(resource.status), \(resource.body.length) bytes from \(resource.origin.rawValue), "
      + "\(resource.freshness.rawValue)\(mark): "
      + resource.explanation.map(\.description).joined(separator: "; ")
    bar.withLock { bar in
      bar.clear()
      Console.error(line)
      if resource.isFinal { bar.end(index) }
    }
  }

  func error(_ error: FreshetError, _ url: String, _ index: Int) {
    bar.withLock { bar in
      bar.clear()
      Console.error("\(url): \(error)")
      bar.end(index)
    }
  }
}
