import FreshetEssentials
import Synchronization

/// The reader of a pipe that nobody else reads, with which a thread that opens the pipe for writing waits no
/// longer.
final class SubstituteReader: Sendable {
  private struct State {
    var file: OpenFile?
    var hasEnded = false
    var isCancelled = false
  }

  private let state = Mutex(State())

  /// Notes the cancellation, and opens a pipe that the writer still waits to open.
  func cancel(_ path: String) {
    var status = stat()
    let isPipe = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    state.withLock { state in
      state.isCancelled = true
      guard isPipe else { return }
      if !state.hasEnded { state.file = try? OpenFile(path, O_RDONLY | O_NONBLOCK) }
    }
  }

  /// Closes the pipe for good, so that its writer hears of the end of other readers.
  ///
  /// - Returns: A Boolean value that indicates whether the writer has been cancelled.
  func end() -> Bool {
    state.withLock { state in
      state.hasEnded = true
      state.file = nil
      return state.isCancelled
    }
  }
}
