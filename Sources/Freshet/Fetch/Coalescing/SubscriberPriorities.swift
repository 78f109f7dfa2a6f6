/// The priorities of the subscribers to one shared fetch, with constant time for all operations.
struct SubscriberPriorities {
  /// One subscriber, apart from the others because most fetches have no other.
  private var one: (id: Int, priority: Request.Priority)?
  private var others: [Int: Request.Priority] = [:]
  private var normalCount = 0
  private var highCount = 0

  var count: Int { (one == nil ? 0 : 1) + others.count }
  var isEmpty: Bool { one == nil && others.isEmpty }

  /// The highest priority; low if there is no subscriber.
  var highest: Request.Priority { highCount > 0 ? .high : normalCount > 0 ? .normal : .low }

  mutating func add(_ id: Int, _ priority: Request.Priority) {
    if isEmpty { one = (id, priority) } else { others[id] = priority }
    count(priority, 1)
  }

  /// Removes a subscriber, and returns `false` if it had left before.
  mutating func remove(_ id: Int) -> Bool {
    if let one, one.id == id {
      self.one = nil
      count(one.priority, -1)
      return true
    }
    guard let priority = others.removeValue(forKey: id) else { return false }
    count(priority, -1)
    return true
  }

  private mutating func count(_ priority: Request.Priority, _ change: Int) {
    switch priority {
    case .low: break
    case .normal: normalCount += change
    case .high: highCount += change
    }
  }
}
