#if Redis && !canImport(Darwin)
import Synchronization

/// The end of a lease, as those who wait hear of it.
struct LeaseMessage: Sendable {
  let end: Lease.End
  /// The number of the lease; `nil` for any.
  var number: Int64?
}

/// The fetches of this process that wait for leases of other processes.
final class LeaseHearing: Sendable {
  private struct State: Sendable {
    var waiters: [String: [Int: AsyncStream<LeaseMessage>.Continuation]] = [:]
    var nextID = 0
    var waitingCount = 0
  }

  let channel: String
  private let state = Mutex(State())

  init(channel: String) {
    self.channel = channel
  }

  /// The number of fetches that wait: another process has the lease.
  var waitingCount: Int { state.withLock(\.waitingCount) }

  /// Registers a fetch, before it asks for the lease: no end is missed.
  func waiter(for name: String) -> LeaseWaiter {
    let (stream, continuation) = AsyncStream.makeStream(
      of: LeaseMessage.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let id = state.withLock { state in
      state.nextID += 1
      state.waiters[name, default: [:]][state.nextID] = continuation
      return state.nextID
    }
    return LeaseWaiter(stream, continuation) { [weak self] change in
      self?.state.withLock { $0.waitingCount += change }
    } leave: { [weak self] in
      self?.state
        .withLock { state in
          state.waiters[name]?[id] = nil
          if state.waiters[name]?.isEmpty == true { state.waiters[name] = nil }
        }
    }
  }

  /// Takes a message, on the thread of the pool.
  func hear(_ text: String, on channel: String) {
    guard channel == self.channel else { return }
    let words = text.split(separator: " ")
    guard words.count >= 2, let end = Lease.End(rawValue: String(words[1])) else { return }
    let message = LeaseMessage(end: end, number: words.count > 2 ? Int64(words[2]) : nil)
    for waiter in state.withLock({ $0.waiters[String(words[0])].map { Array($0.values) } }) ?? [] {
      waiter.yield(message)
    }
  }

  /// Lets all ask again: messages may have been missed.
  func wakeAll() {
    for waiter in state.withLock({ $0.waiters.values.flatMap(\.values) }) {
      waiter.yield(LeaseMessage(end: .over))
    }
  }
}

/// One fetch that waits for leases of other processes, until it is released.
final class LeaseWaiter: Sendable {
  private let stream: AsyncStream<LeaseMessage>
  private let continuation: AsyncStream<LeaseMessage>.Continuation
  /// A closure that counts the fetches that wait.
  private let count: @Sendable (Int) -> Void
  private let leave: @Sendable () -> Void

  init(
    _ stream: AsyncStream<LeaseMessage>,
    _ continuation: AsyncStream<LeaseMessage>.Continuation,
    count: @escaping @Sendable (Int) -> Void,
    leave: @escaping @Sendable () -> Void
  ) {
    self.stream = stream
    self.continuation = continuation
    self.count = count
    self.leave = leave
  }

  deinit {
    leave()
  }

  /// Waits for the end of a lease, up to a time limit, after which it counts as over.
  ///
  /// - Parameters:
  ///   - limit: The limit.
  ///   - number: The number of the lease; the end of an earlier one, which is heard late, does not count.
  /// - Returns: The end; `nil` if the task was cancelled.
  func end(within limit: Duration, of number: Int64 = 0) async -> Lease.End? {
    let alarm = Task { [continuation] in
      // A cancelled sleep means that the lease has ended.
      guard (try? await Task.sleep(for: limit)) != nil else { return }
      continuation.yield(LeaseMessage(end: .over))
    }
    count(1)
    defer {
      count(-1)
      alarm.cancel()
    }
    for await message in stream where message.number ?? number >= number { return message.end }
    return nil
  }
}
#endif
