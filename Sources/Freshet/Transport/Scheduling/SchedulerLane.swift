/// The waiting ids of one host, by priority and with the oldest first, and the number of running ones.
struct SchedulerLane: Sendable {
  private var low = Queue<Int>()
  private var normal = Queue<Int>()
  private var high = Queue<Int>()
  var running = 0

  subscript(priority: Request.Priority) -> Queue<Int> {
    _read {
      switch priority {
      case .low: yield low
      case .normal: yield normal
      case .high: yield high
      }
    }
    _modify {
      switch priority {
      case .low: yield &low
      case .normal: yield &normal
      case .high: yield &high
      }
    }
  }

  var hasWaiting: Bool { !low.isEmpty || !normal.isEmpty || !high.isEmpty }
  var firsts: SchedulerOrder.Firsts {
    SchedulerOrder.Firsts(running: running, low: low.first, normal: normal.first, high: high.first)
  }
  var isEmpty: Bool { running == 0 && !hasWaiting }

  /// Counts another running request, unless the limit is reached.
  ///
  /// - Returns: `true` if it runs.
  mutating func begin(atMost limit: Int) -> Bool {
    guard running < limit else { return false }
    running += 1
    return true
  }
}
