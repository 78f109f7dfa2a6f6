#if !canImport(Darwin)
import CLinux
import Glibc
import Synchronization

/// The commands for a loop thread, and the descriptor that wakes it.
///
/// A burst of commands costs one write: only the first one finds the loop asleep.
final class CurlMailbox: Sendable {
  enum Command: Sendable {
    case start(CurlExchange)
    case cancel(Int)
    case resume(Int)
    case resumeUpload(Int)
    /// To run a job of a task that prefers this executor.
    case run(UnownedJob, UnownedTaskExecutor)
    /// To end with the last exchange; what is called says that the loop has ended, or that it goes on.
    case retire(@Sendable () -> Void)
    case stop
  }

  private struct State {
    var commands: [Command] = []
    var isAsleep = false
    var isClosed = false
  }

  let descriptor: Int32
  private let state = Mutex(State())
  private let thread = Atomic<UInt>(0)

  init() throws(CurlFault) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    guard descriptor >= 0 else {
      throw CurlFault("eventfd failed")
    }
  }

  deinit {
    close(descriptor)
  }

  /// A Boolean value that indicates whether the caller runs on the thread that takes the commands.
  var isCurrent: Bool { thread.load(ordering: .relaxed) == pthread_self() }

  /// Notes the current thread as the one that takes the commands.
  func attach() {
    thread.store(pthread_self(), ordering: .relaxed)
  }

  /// Returns whether the command will be performed; it will not after the loop has failed.
  @discardableResult
  func post(_ command: Command) -> Bool {
    let (isTaken, wakes) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      state.commands.append(command)
      defer { state.isAsleep = false }
      return (true, state.isAsleep)
    }
    if wakes { eventfd_write(descriptor, 1) }
    return isTaken
  }

  /// A Boolean value that indicates whether the loop has failed.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Refuses later commands, and returns the pending ones.
  func end() -> [Command] {
    state.withLock { state in
      state.isClosed = true
      defer { state.commands = [] }
      return state.commands
    }
  }

  /// Swaps the pending commands with `commands`, which must be empty.
  ///
  /// - Returns: A Boolean value that indicates whether there were none; the next command wakes the loop then.
  func take(into commands: inout [Command]) -> Bool {
    state.withLock { state in
      state.isAsleep = state.commands.isEmpty
      swap(&state.commands, &commands)
      return state.isAsleep
    }
  }

  /// Notes that the loop is awake, so that commands need not wake it.
  func awaken() {
    state.withLock { $0.isAsleep = false }
  }
}
#endif
