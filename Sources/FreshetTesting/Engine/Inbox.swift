import FreshetEssentials
import Synchronization

/// The commands of other threads to the event loop, and the pipe that wakes it.
final class Inbox: Sendable {
  enum Command: Sendable {
    case resume(connection: Int, wait: Int)
    /// A WebSocket has something to send, or space for more.
    case pump(connection: Int)
    case stop
  }

  private struct State {
    var commands: [Command] = []
    var isClosed = false
  }

  let reading: Int32
  private let writing: Int32
  private let state = Mutex(State())

  init() throws(Socket.Failure) {
    (reading, writing) = try Socket.pipe()
  }

  func post(_ command: Command) {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.commands.append(command)
      // One byte wakes the loop for any number of commands. The lock prevents the descriptor from
      // being closed in between.
      if state.commands.count == 1 {
        _ = write(writing, "!", 1)
      }
    }
  }

  func take() -> [Command] {
    state.withLock { state in
      guard !state.commands.isEmpty else { return [] }
      var byte: UInt8 = 0
      _ = read(reading, &byte, 1)
      defer { state.commands = [] }
      return state.commands
    }
  }

  func close() {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.isClosed = true
      Socket.close(reading)
      Socket.close(writing)
    }
  }
}
