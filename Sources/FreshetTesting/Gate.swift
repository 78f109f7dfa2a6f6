public import Freshet

/// Holds responses back until a test releases them, so that tests do not depend on time.
///
/// Tasks and responses wait at a closed gate. ``pass(_:)`` lets a number of them through, including
/// later ones; ``open()`` lets all of them through from then on.
///
/// ```swift
/// let gate = Gate()
/// server.route("/slow", .text("done").delayed(until: gate))
/// async let answer = client.resource(at: server.url("/slow")).value
/// await gate.waiting()      // the request has arrived
/// gate.open()
/// ```
public final class Gate: Sendable {
  private struct State: Sendable {
    var isOpen = false
    var passes = 0
    var waiters: [Waiter] = []
    var nextID = 0
  }

  private struct Waiter: Sendable {
    let id: Int
    let letGo: @Sendable () -> Void
  }

  /// A position in the queue, for leaving it early.
  struct Ticket: Sendable {
    fileprivate let id: Int
  }

  private let state = Watched(State())

  /// Makes a gate that is closed.
  public init() {}

  /// Lets all waiters through, now and from now on.
  public func open() {
    let waiters = state.update { state in
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters {
      waiter.letGo()
    }
  }

  /// Lets the next `count` waiters through, in the order of their arrival.
  ///
  /// - Parameter count: The number of waiters, at least 0; 1 by default. Unused passes are kept for later
  ///   ones.
  public func pass(_ count: Int = 1) {
    precondition(count >= 0, "a number of passes is zero or more")
    let waiters = state.update { state in
      let waiters = Array(state.waiters.prefix(count))
      state.waiters.removeFirst(waiters.count)
      let (passes, isTooLarge) = state.passes.addingReportingOverflow(count - waiters.count)
      state.passes = isTooLarge ? .max : passes
      return waiters
    }
    for waiter in waiters {
      waiter.letGo()
    }
  }

  /// The number of waiters at the gate.
  public var waitingCount: Int { state.read { $0.waiters.count } }

  /// Waits until at least `count` waiters are at the gate at the same time.
  ///
  /// - Parameters:
  ///   - count: The number of waiters; 1 by default.
  ///   - fileID: The file of the caller, which standard error gets if the wait is cancelled.
  ///   - line: The line of the caller.
  /// - Returns: A Boolean value that indicates whether they arrived: `false` only if the waiting
  ///   task was cancelled.
  @discardableResult
  public func waiting(
    count: Int = 1,
    fileID: StaticString = #fileID,
    line: Int = #line
  ) async -> Bool {
    await state.wait(at: WaitPlace(fileID: fileID, line: line)) { state in
      "\(count) at a gate, where \(state.waiters.count) wait"
    } until: { state in
      state.waiters.count >= count
    }
  }

  /// Passes the gate, and waits while it is closed.
  ///
  /// - Throws: ``/Freshet/FreshetError/cancelled`` as soon as the task is cancelled.
  public func enter() async throws(FreshetError) {
    let passed = Watched(false)
    guard let ticket = queue(letGo: { passed.update { $0 = true } }) else { return }
    guard await passed.wait(until: { $0 }) else {
      leave(ticket)
      throw .cancelled
    }
  }

  /// Joins the queue, or returns `nil` if the caller may pass immediately.
  ///
  /// `letGo` is called at most once, on the thread that opens the gate.
  func queue(letGo: @escaping @Sendable () -> Void) -> Ticket? {
    state.update { state in
      if state.isOpen { return nil }
      if state.passes > 0 {
        state.passes -= 1
        return nil
      }
      state.nextID += 1
      state.waiters.append(Waiter(id: state.nextID, letGo: letGo))
      return Ticket(id: state.nextID)
    }
  }

  /// Leaves the queue; a pass that the waiter got in the meantime goes to the next one.
  func leave(_ ticket: Ticket) {
    let hasPass = state.update { state in
      guard let place = state.waiters.firstIndex(where: { $0.id == ticket.id }) else {
        return !state.isOpen
      }
      state.waiters.remove(at: place)
      return false
    }
    if hasPass { pass() }
  }
}
