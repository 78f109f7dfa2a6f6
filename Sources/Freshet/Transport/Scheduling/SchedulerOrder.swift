/// The first waiting ids of the hosts, of which the least can be found among those of any number of hosts.
///
/// Ids are added, with the number of requests that run at their host. One that is out of date is removed when it
/// would be found, or with others when half of them may be.
struct SchedulerOrder: Sendable {
  /// The first waiting ids of a host by priority, and the number of its running requests.
  struct Firsts {
    let running: Int
    let low: Int?
    let normal: Int?
    let high: Int?
  }

  /// Ids of one priority, at hosts with the same number of running requests.
  struct Kind: Equatable {
    let priority: Request.Priority
    let running: Int
  }

  private struct Group {
    let kind: Kind
    var ids = MinHeap()
    /// The number of ids at which those that are out of date are removed.
    var limit = 64
  }

  /// The groups, of which there are as many as hosts differ in the number of running requests.
  private var groups: [Group] = []

  /// Adds the first ids of a host.
  ///
  /// - Parameters:
  ///   - firsts: The ids.
  ///   - isCurrent: A closure that returns whether an id is up to date.
  mutating func add(_ firsts: Firsts, isCurrent: (Int, Kind) -> Bool) {
    if let id = firsts.high { add(id, Kind(priority: .high, running: firsts.running), isCurrent) }
    if let id = firsts.normal {
      add(id, Kind(priority: .normal, running: firsts.running), isCurrent)
    }
    if let id = firsts.low { add(id, Kind(priority: .low, running: firsts.running), isCurrent) }
  }

  private mutating func add(_ id: Int, _ kind: Kind, _ isCurrent: (Int, Kind) -> Bool) {
    guard let index = groups.firstIndex(where: { $0.kind == kind }) else {
      var group = Group(kind: kind)
      group.ids.insert(id)
      return groups.append(group)
    }
    groups[index].ids.insert(id)
    guard groups[index].ids.count >= groups[index].limit else { return }
    groups[index].ids.keep { isCurrent($0, kind) }
    groups[index].limit = max(64, 2 * groups[index].ids.count)
  }

  /// Returns the least id of a priority at the hosts with fewer running requests than a limit.
  ///
  /// - Parameters:
  ///   - priority: The priority.
  ///   - limit: The limit.
  ///   - isCurrent: A closure that returns whether an id is up to date.
  /// - Returns: The id; `nil` if there is none.
  mutating func first(
    _ priority: Request.Priority,
    below limit: Int,
    isCurrent: (Int, Kind) -> Bool
  ) -> Int? {
    var least: Int?
    for index in groups.indices.reversed() {
      let kind = groups[index].kind
      guard kind.priority == priority, kind.running < limit else { continue }
      while let id = groups[index].ids.first, !isCurrent(id, kind) {
        groups[index].ids.removeFirst()
      }
      if let id = groups[index].ids.first {
        least = min(id, least ?? id)
      } else {
        groups.remove(at: index)
      }
    }
    return least
  }
}
