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

  /// The result of adding a command.
  enum Addition {
    /// The thread of the loop will take it by itself.
    case taken
    /// The thread waits for events: the caller has to wake it, see ``ring()``.
    case wakes
    /// The thread waits, and no exchange is in progress: the caller may begin the exchange in its place.
    case idle
    /// The loop has failed: the command will not be performed.
    case refused
  }

  private enum Attention {
    case awake
    case asleep
    /// Asleep, without an exchange in progress.
    case idle
  }

  private struct State {
    var commands: [Command] = []
    var attention = Attention.awake
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

  /// Adds a command, and wakes the loop if necessary.
  ///
  /// - Returns: A Boolean value that indicates whether the command will be performed.
  @discardableResult
  func post(_ command: Command) -> Bool {
    switch add(command) {
    case .taken: return true
    case .wakes, .idle:
      ring()
      return true
    case .refused: return false
    }
  }

  /// Adds a command without waking the loop, which the first caller that finds it asleep has to do.
  func add(_ command: Command) -> Addition {
    state.withLock { state in
      guard !state.isClosed else { return .refused }
      state.commands.append(command)
      defer { state.attention = .awake }
      return switch state.attention {
      case .awake: .taken
      case .asleep: .wakes
      case .idle: .idle
      }
    }
  }

  /// Wakes the thread of the loop.
  func ring() {
    eventfd_write(descriptor, 1)
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
  /// - Parameters:
  ///   - commands: The array for the commands.
  ///   - isIdle: A Boolean value that indicates whether the loop has no exchange in progress.
  /// - Returns: A Boolean value that indicates whether there were none; the next command wakes the loop then.
  func take(into commands: inout [Command], isIdle: Bool) -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty else {
        swap(&state.commands, &commands)
        return false
      }
      state.attention = isIdle ? .idle : .asleep
      return true
    }
  }

  /// Takes the exchange of the only pending command; `nil` if there are others, which only the thread of
  /// the loop performs.
  func takeOnlyStart() -> CurlExchange? {
    state.withLock { state in
      guard state.commands.count == 1, case .start(let exchange) = state.commands[0] else {
        return nil
      }
      state.commands.removeAll(keepingCapacity: true)
      return exchange
    }
  }

  /// Notes that the thread of the loop still waits.
  ///
  /// - Parameter isIdle: A Boolean value that indicates whether the loop has no exchange in progress.
  /// - Returns: A Boolean value that indicates whether it may: there are no commands.
  func remainAsleep(isIdle: Bool) -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty else { return false }
      state.attention = isIdle ? .idle : .asleep
      return true
    }
  }

  /// Notes that the loop is awake, so that commands need not wake it.
  func awaken() {
    state.withLock { $0.attention = .awake }
  }
}
#endif
