#if Redis && !canImport(Darwin)
import Freshet
import FreshetEssentials
import Synchronization

/// The right to fetch something for all processes that share a store.
///
/// It is renewed as long as it exists. Its end wakes those who wait for it; so does releasing it.
final class Lease: Sendable {
  /// The lease under which the current task stores, which a store compares with that of what it has.
  @TaskLocal static var current: Lease?

  /// The reason for its end, which those who wait hear.
  enum End: String, Sendable {
    /// The response is stored.
    case stored
    /// There is a response, but it is not stored: all go themselves.
    case unstored
    /// There is no response: the next one takes the lease.
    case over
  }

  /// The number in the order of leases: a later one is larger.
  let number: Int64
  private let name: String
  private let pool: RedisPool
  private let renewal: Task<Void, Never>
  private let isEnded = Mutex(false)

  /// The time in which nobody waits for a response that was not stored.
  private static let openTime = 10_000

  init(_ name: String, _ number: Int64, _ duration: Duration, _ pool: RedisPool) {
    self.name = name
    self.number = number
    self.pool = pool
    renewal = Task {
      while !Task.isCancelled {
        do {
          try await Task.sleep(for: duration / 3)
        } catch { return }
        let reply = try? await pool.run(
          .renew,
          [pool.names.lease(name)],
          [.number(number), .number(duration.milliseconds)]
        )
        // Another process has taken over; a failure may pass.
        if reply?.number == 0 { return }
      }
    }
  }

  deinit {
    renewal.cancel()
    if !isEnded.withLock(\.self) { pool.post(.release, keys, arguments(.over)) }
  }

  private var keys: [String] { [pool.names.lease(name)] }

  private func arguments(_ end: End) -> [RedisArgument] {
    [
      .number(number), .text(pool.names.leases), .text("\(name) \(end.rawValue)"),
      .number(end == .unstored ? Self.openTime : 0),
    ]
  }

  /// Ends the lease, once.
  func end(_ end: End) async {
    let isFirst = isEnded.withLock { isEnded in
      defer { isEnded = true }
      return !isEnded
    }
    guard isFirst else { return }
    renewal.cancel()
    _ = try? await pool.run(.release, keys, arguments(end))
  }
}

extension SharedStore {
  /// The result of asking for a lease.
  enum LeaseReply: Sendable {
    case taken(Lease)
    /// Another process has it, for this time unless it is renewed.
    case held(Duration)
    /// Nobody has to wait.
    case open
  }

  /// Asks for a lease.
  func takeLease(_ name: String, for duration: Duration) async throws(RedisFailure) -> LeaseReply {
    let reply = try await pool.run(
      .lease,
      [names.control, names.lease(name)],
      [.number(duration.milliseconds)]
    )
    guard let found = reply.elements, found.count == 2, let kind = found[0].number,
      let number = found[1].number
    else { throw RedisFailure("the server's reply cannot be read") }
    return switch kind {
    case 1: .taken(Lease(name, number, duration, pool))
    case 0: .held(number < 0 ? duration : .milliseconds(number))
    default: .open
    }
  }
}
#endif
