import FreshetEssentials
import Synchronization

/// The reader of a pipe that nobody else reads, with which a thread that opens the pipe for writing waits no
/// longer.
final class SubstituteReader: Sendable {
  private struct State {
    var file: OpenFile?
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// Opens a pipe, unless that is over; does nothing if the path is something else.
  func open(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return }
    state.withLock { state in
      if !state.hasEnded { state.file = try? OpenFile(path, O_RDONLY | O_NONBLOCK) }
    }
  }

  /// Closes the pipe for good, so that its writer hears of the end of other readers.
  ///
  /// - Returns: A Boolean value that indicates whether it was open.
  func end() -> Bool {
    state.withLock { state in
      state.hasEnded = true
      return state.file.take() != nil
    }
  }
}
