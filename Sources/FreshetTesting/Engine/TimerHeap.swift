/// The deadlines of connections, the earliest first.
struct TimerHeap {
  struct Timer {
    let deadline: ContinuousClock.Instant
    let connection: Int
    /// The number of the connection's wait that it ends; it has no effect on a later one.
    let wait: Int
  }

  private var timers: [Timer] = []

  var next: ContinuousClock.Instant? { timers.first?.deadline }

  mutating func add(_ timer: Timer) {
    timers.append(timer)
    var child = timers.count - 1
    while child > 0, timers[child].deadline < timers[(child - 1) / 2].deadline {
      timers.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Takes the next timer if its deadline is not after `now`.
  mutating func take(until now: ContinuousClock.Instant) -> Timer? {
    guard let first = timers.first, first.deadline <= now else { return nil }
    timers.swapAt(0, timers.count - 1)
    timers.removeLast()
    var parent = 0
    while true {
      let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < timers.count }
      guard let child = children.min(by: { timers[$0].deadline < timers[$1].deadline }),
        timers[child].deadline < timers[parent].deadline
      else { return first }
      timers.swapAt(parent, child)
      parent = child
    }
  }
}
