#if !canImport(Darwin)
import Foundation
import Synchronization

/// Where it is written down what was tried and what happened.
final class Notebook: Sendable {
  private struct State {
    var tried = 0
    var broken = 0
  }

  private let state = Mutex(State())
  private let isVerbose: Bool

  init(isVerbose: Bool) {
    self.isVerbose = isVerbose
  }

  var brokenCount: Int { state.withLock(\.broken) }

  /// Notes a try that held if `problems` is empty.
  func note(_ what: String, _ happened: String, problems: [String] = []) {
    state.withLock { state in
      state.tried += 1
      if !problems.isEmpty { state.broken += 1 }
    }
    if problems.isEmpty {
      if isVerbose { write("  held    \(what): \(happened)") }
    } else {
      write("  BROKEN  \(what): \(happened)")
      for problem in problems { write("          \(problem)") }
    }
  }

  /// Notes many tries at once, of which those in `problems` did not hold.
  func note(_ what: String, count: Int, problems: [String] = []) {
    state.withLock { state in
      state.tried += count
      state.broken += problems.count
    }
    if isVerbose || !problems.isEmpty {
      write("  \(problems.isEmpty ? "held  " : "BROKEN")  \(what)\(count > 0 ? ": \(count)" : "")")
    }
    for problem in problems.prefix(20) { write("          \(problem)") }
  }

  /// Notes a look at what is left of all tries: it is none of them, and it may break a promise all the
  /// same.
  func check(_ what: String, problems: [String]) {
    note(what, count: 0, problems: problems)
  }

  /// Something to read that is no promise.
  func say(_ text: String) {
    write("  \(text)")
  }

  /// Something that could not be tried here, which the laboratory's table has to say.
  func confess(_ text: String) {
    write("! \(text)")
  }

  func close() {
    let (tried, broken) = state.withLock { ($0.tried, $0.broken) }
    write("= \(tried) tried, \(broken) broken")
  }
}
#endif
