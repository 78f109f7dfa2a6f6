#if Redis && !canImport(Darwin)
import Freshet
import FreshetEssentials
import Synchronization

/// The right to fetch something for all processes that share a store.
///
/// It is renewed as long as it exists. Its end wakes those who wait for it; so does releasing it.
final class Lease: Sendable {
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
  private let duration: Duration
  /// The connections to the server that has granted it.
  let pool: RedisPool
  private let renewal: Task<Void, Never>
  private let isEnded = Mutex(false)

  init(_ name: String, _ number: Int64, _ duration: Duration, _ pool: RedisPool) {
    self.name = name
    self.number = number
    self.duration = duration
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
    if !isEnded.withLock(\.self) { pool.insist(.release, keys, arguments(.over), for: duration) }
  }

  private var keys: [String] { [pool.names.lease(name)] }

  private func arguments(_ end: End, openTime: Duration = .zero) -> [RedisArgument] {
    [
      .number(number), .text(pool.names.leases), .text("\(name) \(end.rawValue) \(number)"),
      .number(end == .unstored ? openTime.milliseconds : 0),
    ]
  }

  /// Ends the lease, once.
  ///
  /// If the server does not answer in time, it is told again until it does, so that nobody waits for a
  /// lease that has ended.
  ///
  /// - Parameters:
  ///   - end: The reason.
  ///   - openTime: The time in which nobody waits for a response that was not stored.
  func end(_ end: End, openTime: Duration = .seconds(10)) async {
    let isFirst = isEnded.withLock { isEnded in
      defer { isEnded = true }
      return !isEnded
    }
    guard isFirst else { return }
    renewal.cancel()
    do throws(RedisFailure) {
      _ = try await pool.run(.release, keys, arguments(end, openTime: openTime))
    } catch {
      // That nothing was stored says little about a later time.
      let late = end == .stored ? end : .over
      pool.insist(.release, keys, arguments(late), for: duration)
    }
  }
}

extension SharedStore {
  /// The result of asking for a lease.
  enum LeaseReply: Sendable {
    case taken(Lease)
    /// Another process has the lease with this number, for this time unless it is renewed.
    case held(number: Int64, left: Duration)
    /// Nobody has to wait.
    case open
  }

  /// Asks for a lease.
  ///
  /// One that the server grants although its answer comes too late is given back as soon as possible.
  func takeLease(_ name: String, for duration: Duration) async throws(RedisFailure) -> LeaseReply {
    // By the number of the process, `redis-cli` shows the owner of a lease.
    let token = "\(getpid()).\(Hexadecimal.unpredictableName())"
    let keys = [names.lease(name), names.withdrawal(token)]
    let reply: RedisReply
    do throws(RedisFailure) {
      reply = try await pool.run(
        .lease,
        [names.control] + keys,
        [.number(duration.milliseconds), .text(token)]
      )
    } catch {
      if !error.isUnexecuted {
        let arguments: [RedisArgument] = [
          .text(token), .number(duration.milliseconds), .text(names.leases),
          .text("\(name) \(Lease.End.over.rawValue)"),
        ]
        pool.insist(.withdraw, keys, arguments, for: duration)
      }
      throw error
    }
    guard let found = reply.elements, found.count == 3, let kind = found[0].number,
      let number = found[1].number, let left = found[2].number
    else { throw RedisFailure.unreadable }
    return switch kind {
    case 1: .taken(Lease(name, number, duration, pool))
    case 0: .held(number: number, left: left < 0 ? duration : .milliseconds(left))
    default: .open
    }
  }
}
#endif
