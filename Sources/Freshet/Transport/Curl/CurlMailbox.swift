#if os(Linux)
import CLinux
import Glibc
import Synchronization

/// The commands for a loop thread, and the descriptor that wakes it.
///
/// A burst of commands costs one write: only the first one finds the loop asleep. A loop that rests,
/// because it has no transfer, may be lent to whoever has one, see ``borrow()``.
final class CurlMailbox: Sendable {
  enum Command: Sendable {
    case start(CurlExchange)
    case cancel(Int)
    case resume(Int)
    case resumeUpload(Int)
    case stop
  }

  private struct State {
    var commands: [Command] = []
    var isAsleep = false
    /// The loop, while its thread rests.
    var loan: CurlLoan?
    var isLent = false
    /// How often it has been lent.
    var loanCount = 0
  }

  /// What the thread does next.
  enum Turn {
    /// It performs the commands that it has taken.
    case perform
    /// It waits for sockets.
    case wait
    /// It waits for commands, and touches nothing before ``reclaim()`` allows it.
    case rest
  }

  let descriptor: Int32
  private let state = Mutex(State())

  init() throws(CurlFault) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    guard descriptor >= 0 else {
      throw CurlFault("no event descriptor")
    }
  }

  deinit {
    close(descriptor)
  }

  func post(_ command: Command) {
    let wakes = state.withLock { state in
      state.commands.append(command)
      defer { state.isAsleep = false }
      return state.isAsleep || state.isLent && state.commands.count == 1
    }
    if wakes { eventfd_write(descriptor, 1) }
  }

  /// Swaps the commands so far into `commands`, which must be empty.
  ///
  /// - Parameters:
  ///   - commands: Where they go.
  ///   - rests: Whether the loop has nothing else to do.
  ///   - loan: The loop, if it may be lent while it rests.
  /// - Returns: What is next; unless that is to perform commands, every later one wakes the loop.
  func take(into commands: inout [Command], rests: Bool, lending loan: CurlLoan?) -> Turn {
    state.withLock { state in
      guard state.commands.isEmpty else {
        swap(&state.commands, &commands)
        return .perform
      }
      state.isAsleep = true
      state.loan = rests ? loan : nil
      return rests ? .rest : .wait
    }
  }

  /// Notes that the loop is awake, so that nobody needs to wake it.
  func awaken() {
    state.withLock { $0.isAsleep = false }
  }
}

// MARK: - Lending

/// A loop that one thread at a time may use.
///
/// Unchecked: the mailbox hands it to a borrower only while the loop's thread rests and nobody else
/// has it, and keeps the thread from it until it is back; its lock orders the two.
struct CurlLoan: @unchecked Sendable {
  let loop: CurlLoop
}

extension CurlMailbox {
  /// Takes the loop for a moment, if it rests and nothing waits for it.
  ///
  /// Who has it must use it on one thread and give it back soon.
  func borrow() -> CurlLoan? {
    state.withLock { state in
      guard let loan = state.loan, !state.isLent, state.commands.isEmpty else { return nil }
      state.isLent = true
      state.loanCount += 1
      return loan
    }
  }

  /// How often the loop has been lent.
  var loanCount: Int {
    state.withLock(\.loanCount)
  }

  /// Whether somebody waits for the loop.
  var hasCommands: Bool {
    state.withLock { !$0.commands.isEmpty }
  }

  /// Gives the loop back; its thread goes on if there is something to do.
  func giveBack(isIdle: Bool, lendable: Bool) {
    let wakes = state.withLock { state in
      state.isLent = false
      if !lendable || !isIdle { state.loan = nil }
      guard !isIdle || !state.commands.isEmpty else { return false }
      state.isAsleep = false
      return true
    }
    if wakes { eventfd_write(descriptor, 1) }
  }

  /// Ends the rest.
  ///
  /// - Returns: Whether the loop is its thread's again; if it is lent, there will be another write.
  func reclaim() -> Bool {
    state.withLock { state in
      guard !state.isLent else { return false }
      state.loan = nil
      state.isAsleep = false
      return true
    }
  }
}
#endif
