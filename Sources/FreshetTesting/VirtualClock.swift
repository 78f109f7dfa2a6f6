import Freshet
public import FreshetEssentials

/// A clock that moves only when a test advances it.
///
/// - Sleepers wake when ``advance(by:)`` or ``advance()`` reaches their deadline, in the order of
///   their deadlines; those with the same deadline in the order in which they fell asleep.
/// - A sleep whose deadline has already been reached returns immediately.
/// - A sleeper whose task is cancelled wakes immediately with `CancellationError`.
/// - ``date`` is a wall clock that moves with it and can be set, forwards and backwards.
///
/// ```swift
/// let clock = VirtualClock()
/// let task = Task { try await clock.sleep(for: .seconds(60)) }
/// await clock.sleepers(count: 1)
/// clock.advance(by: .seconds(60))
/// try await task.value
/// ```
public final class VirtualClock: Clock, Sendable {
  /// An instant of a virtual clock.
  public struct Instant: InstantProtocol, CustomStringConvertible {
    /// The time since the clock was made.
    public let offset: Duration

    /// Makes an instant.
    public init(offset: Duration) {
      self.offset = offset
    }

    /// Returns the instant that is later by a duration.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// Returns the time from this instant to another.
    public func duration(to other: Instant) -> Duration {
      other.offset - offset
    }

    /// Returns a Boolean value that indicates whether the left instant is earlier.
    public static func < (left: Instant, right: Instant) -> Bool {
      left.offset < right.offset
    }

    /// The time since the clock was made.
    public var description: String { "\(offset)" }
  }

  private struct Sleeper: Sendable {
    let id: Int
    let deadline: Instant
    let continuation: UnsafeContinuation<Bool, Never>
  }

  private struct State: Sendable {
    var now = Instant(offset: .zero)
    /// The time of the wall clock at the offset zero.
    var origin: Date
    var sleepers: [Sleeper] = []
    var nextID = 0
  }

  private let state: Watched<State>

  /// Makes a clock at the offset zero.
  ///
  /// - Parameter date: The initial time of the wall clock; 2026-01-01 00:00:00 UTC by default.
  public init(date: Date = Date(timeIntervalSince1970: 1_767_225_600)) {
    state = Watched(State(origin: date))
  }

  /// The current instant of the clock.
  public var now: Instant { state.read(\.now) }

  /// Zero: the clock is exact.
  public var minimumResolution: Duration { .zero }

  /// The time of the wall clock, which moves with the clock; setting it does not move the clock.
  ///
  /// `{ clock.date }` can be passed as a source of the current time.
  public var date: Date {
    get { state.read { $0.origin.addingTimeInterval($0.now.offset / .seconds(1)) } }
    set {
      state.update { $0.origin = newValue.addingTimeInterval(-($0.now.offset / .seconds(1))) }
    }
  }

  /// Sleeps until the clock has been moved to the deadline or past it.
  ///
  /// - Parameters:
  ///   - deadline: The instant to wake at.
  ///   - tolerance: Ignored: the clock is exact.
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let id = state.update { state in
      state.nextID += 1
      return state.nextID
    }
    let woke = await withCancellableContinuation { continuation in
      add(Sleeper(id: id, deadline: deadline, continuation: continuation))
    } onCancel: {
      let sleeper = state.update { state in
        state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
      }
      sleeper?.continuation.resume(returning: false)
    }
    guard woke else { throw CancellationError() }
  }

  /// Adds a sleeper, unless its result is already known.
  private func add(_ sleeper: Sleeper) -> Bool? {
    state.update { state in
      if Task.isCancelled { return false }
      if sleeper.deadline <= state.now { return true }
      state.sleepers.append(sleeper)
      return nil
    }
  }
}

extension VirtualClock {
  /// The number of sleeping tasks.
  public var sleeperCount: Int { state.read { $0.sleepers.count } }

  /// Waits until at least `count` tasks sleep at the same time, so that a test needs no yields.
  ///
  /// - Parameters:
  ///   - count: The number of tasks.
  ///   - fileID: The file of the caller, which standard error gets if the wait is cancelled.
  ///   - line: The line of the caller.
  /// - Returns: A Boolean value that indicates whether they do: `false` only if the waiting task
  ///   was cancelled.
  @discardableResult
  public func sleepers(
    count: Int,
    fileID: StaticString = #fileID,
    line: Int = #line
  ) async -> Bool {
    await state.wait(at: WaitPlace(fileID: fileID, line: line)) { state in
      "\(count) to sleep on a virtual clock, where \(state.sleepers.count) sleep"
    } until: { state in
      state.sleepers.count >= count
    }
  }

  /// Moves the clock forwards and wakes all sleepers whose deadline it reaches.
  ///
  /// They run afterwards, and see the new time: a task that sleeps in a loop takes one
  /// ``advance()`` for each iteration.
  ///
  /// - Parameter duration: The duration; not negative.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "advance by zero or more, or set the date to go back")
    wake { state in state.now.advanced(by: duration) }
  }

  /// Moves the clock to the deadline of the next sleeper and wakes it.
  ///
  /// - Returns: The duration by which the clock moved, or `nil` if there is no sleeper.
  @discardableResult
  public func advance() -> Duration? {
    var moved: Duration?
    wake { state in
      guard let next = state.sleepers.map(\.deadline).min() else { return state.now }
      moved = state.now.duration(to: next)
      return next
    }
    return moved
  }

  private func wake(at moment: (State) -> Instant) {
    let due = state.update { state in
      let now = moment(state)
      state.now = now
      let due = state.sleepers.filter { $0.deadline <= now }
      state.sleepers.removeAll { $0.deadline <= now }
      return due
    }
    for sleeper in due.sorted(by: { ($0.deadline, $0.id) < ($1.deadline, $1.id) }) {
      sleeper.continuation.resume(returning: true)
    }
  }
}
