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

  func post(_ command: Command) {
    let wakes = state.withLock { state in
      state.commands.append(command)
      defer { state.isAsleep = false }
      return state.isAsleep
    }
    if wakes { eventfd_write(descriptor, 1) }
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
