#if Redis && !canImport(Darwin)
import Freshet
import Synchronization

/// The end of a lease, as those who wait hear of it.
struct LeaseMessage: Sendable {
  let end: Lease.End
  /// The number of the lease; `nil` for any.
  var number: Int64?
}

/// The fetches of this process that wait for leases of other processes.
final class LeaseHearing: Sendable {
  private let waiters = Mutex<[String: [ObjectIdentifier: LeaseWaiter.Heard]]>([:])

  /// The number of fetches that wait: another process has the lease.
  var waitingCount: Int { all.reduce(0) { $0 + $1.waiterCount } }

  /// Registers a fetch, before it asks for the lease: no end is missed.
  func waiter(for name: String) -> LeaseWaiter {
    let heard = LeaseWaiter.Heard(nil)
    let id = ObjectIdentifier(heard)
    waiters.withLock { $0[name, default: [:]][id] = heard }
    return LeaseWaiter(heard) { [weak self] in
      self?.waiters
        .withLock { waiters in
          waiters[name]?[id] = nil
          if waiters[name]?.isEmpty == true { waiters[name] = nil }
        }
    }
  }

  /// Takes a message, on the thread of the pool.
  func hear(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count >= 2, let end = Lease.End(rawValue: String(words[1])) else { return }
    let message = LeaseMessage(end: end, number: words.count > 2 ? Int64(words[2]) : nil)
    let named = waiters.withLock { $0[String(words[0])].map { Array($0.values) } }
    for heard in named ?? [] { heard.update { $0 = message } }
  }

  /// Lets all ask again: messages may have been missed.
  func wakeAll() {
    for heard in all { heard.update { $0 = LeaseMessage(end: .over) } }
  }

  private var all: [LeaseWaiter.Heard] { waiters.withLock { $0.values.flatMap(\.values) } }
}

/// One fetch that waits for leases of other processes, until it is released.
final class LeaseWaiter: Sendable {
  /// The last message, until it has ended a wait.
  typealias Heard = Watched<LeaseMessage?>

  private let heard: Heard
  private let leave: @Sendable () -> Void

  init(_ heard: Heard, leave: @escaping @Sendable () -> Void) {
    self.heard = heard
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
    defer { heard.update { $0 = nil } }
    return await heard.first { message in
      guard let message, message.number ?? number >= number else { return nil }
      return message.end
    } or: {
      (try? await Task.sleep(for: limit)).map { .over }
    }
  }
}
#endif
