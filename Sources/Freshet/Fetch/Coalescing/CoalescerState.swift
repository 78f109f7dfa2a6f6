/// The shared fetches in progress and their subscribers.
///
/// A pure value; ``Coalescer`` performs what it returns: it changes priorities under its lock, and does
/// all else outside of it.
struct CoalescerState<Key: CoalescerKey, Fetch: Sendable> {
  /// One subscription to one shared fetch.
  struct Ticket: Sendable {
    let key: Key
    let fetch: Int
    let subscriber: Int
  }

  enum Outcome {
    /// The first one: the shared fetch has to be started.
    case leads(Fetch, Ticket)
    /// One more.
    case joins(Fetch, Ticket, highest: Request.Priority)
    /// One has completed since the subscriber began: its result may be stored by now.
    case completedMeanwhile
    /// One that was cancelled has not ended yet: it may store a partial body.
    case leaving(Fetch, Ticket)
  }

  enum Departure {
    /// The last subscriber has left: the shared fetch has to be cancelled.
    case last(Fetch)
    /// Others are left, the most urgent of them with this priority.
    case others(Fetch, highest: Request.Priority)
    /// It had completed.
    case none
  }

  private struct Entry {
    let id: Int
    let fetch: Fetch
    var priorities: [Int: Request.Priority]

    var highest: Request.Priority { priorities.values.max() ?? .low }
  }

  private var entries: [Key: Entry] = [:]
  /// Shared fetches that take no new subscribers, by their number.
  private var detached: [Int: Entry] = [:]
  /// Shared fetches that were cancelled and have not ended, by what they write, the oldest first.
  private var leaving: [Key.Part: [(id: Int, fetch: Fetch)]] = [:]
  private var nextID = 0
  /// The epoch of the newest completion among the keys that share a place, which their hashes choose.
  ///
  /// Two that share one cost a lookup too many.
  private var completions: [Int]
  /// The number of completions so far.
  private(set) var epoch = 0

  /// Remembers completions in so many places, at least one.
  init(places: Int = 512) {
    completions = Array(repeating: 0, count: places)
  }

  var count: Int { entries.count + detached.count }

  var subscriberCount: Int {
    entries.values.reduce(0) { $0 + $1.priorities.count }
      + detached.values.reduce(0) { $0 + $1.priorities.count }
  }

  /// Subscribes to the key's shared fetch, or makes one.
  ///
  /// - Parameters:
  ///   - key: What is wanted.
  ///   - priority: The subscriber's priority.
  ///   - since: The ``epoch`` before the subscriber's lookups; `nil` asks neither for completions since
  ///     then nor for a fetch that is leaving.
  ///   - make: Makes a shared fetch.
  /// - Returns: The subscription, or why the stores have to be asked again first.
  mutating func subscribe(
    to key: Key,
    priority: Request.Priority,
    epoch since: Int?,
    make: () -> Fetch
  ) -> Outcome {
    nextID += 1
    let id = nextID
    if let entry = join(key, id, priority) {
      let ticket = Ticket(key: key, fetch: entry.id, subscriber: id)
      return .joins(entry.fetch, ticket, highest: entry.highest)
    }
    if let since {
      if since < completions[key.hash % completions.count] { return .completedMeanwhile }
      if !leaving.isEmpty, let (id, fetch) = leaving[key.part]?.first {
        return .leaving(fetch, Ticket(key: key, fetch: id, subscriber: id))
      }
    }
    let entry = Entry(id: id, fetch: make(), priorities: [id: priority])
    entries[key] = entry
    return .leads(entry.fetch, Ticket(key: key, fetch: id, subscriber: id))
  }

  private mutating func join(_ key: Key, _ id: Int, _ priority: Request.Priority) -> Entry? {
    guard let index = entries.index(forKey: key) else { return nil }
    entries.values[index].priorities[id] = priority
    return entries.values[index]
  }

  /// Closes shared fetches to new subscribers; present ones stay.
  mutating func detach(where isWanted: (Key) -> Bool) {
    for (key, entry) in entries where isWanted(key) {
      entries[key] = nil
      detached[entry.id] = entry
    }
  }

  /// Ends a subscription; harmless when it has ended, or the shared fetch has completed.
  ///
  /// - Parameters:
  ///   - ticket: The subscription.
  ///   - isDone: Whether the shared fetch has delivered its result, so that it leaves nothing behind
  ///     that is worth waiting for.
  /// - Returns: What becomes of the shared fetch.
  mutating func leave(_ ticket: Ticket, isDone: Bool = false) -> Departure {
    let departure =
      detached[ticket.fetch] == nil
      ? Self.leave(ticket, in: &entries, ticket.key)
      : Self.leave(ticket, in: &detached, ticket.fetch)
    if !isDone, case .last(let fetch) = departure {
      leaving[ticket.key.part, default: []].append((ticket.fetch, fetch))
    }
    return departure
  }

  private static func leave<Place>(
    _ ticket: Ticket,
    in entries: inout [Place: Entry],
    _ place: Place
  ) -> Departure {
    guard let index = entries.index(forKey: place), entries.values[index].id == ticket.fetch,
      entries.values[index].priorities.removeValue(forKey: ticket.subscriber) != nil
    else { return .none }
    let entry = entries.values[index]
    guard entry.priorities.isEmpty else { return .others(entry.fetch, highest: entry.highest) }
    entries.remove(at: index)
    return .last(entry.fetch)
  }

  /// Removes a shared fetch that has ended.
  ///
  /// The result of a detached one is no news for anybody else, and one that was cancelled before has
  /// none.
  mutating func complete(_ ticket: Ticket) {
    if !leaving.isEmpty, hasLeft(ticket) { return }
    if !detached.isEmpty, detached.removeValue(forKey: ticket.fetch) != nil { return }
    guard let index = entries.index(forKey: ticket.key), entries.values[index].id == ticket.fetch
    else { return }
    entries.remove(at: index)
    epoch += 1
    completions[ticket.key.hash % completions.count] = epoch
  }

  /// Forgets a shared fetch that was leaving.
  ///
  /// - Returns: Whether it was.
  private mutating func hasLeft(_ ticket: Ticket) -> Bool {
    let part = ticket.key.part
    guard let place = leaving[part]?.firstIndex(where: { $0.id == ticket.fetch }) else {
      return false
    }
    leaving[part]?.remove(at: place)
    if leaving[part]?.isEmpty == true { leaving[part] = nil }
    return true
  }
}

/// The key under which shared fetches are registered.
protocol CoalescerKey: Hashable, Sendable {
  associatedtype Part: Hashable & Sendable

  /// A hash that is computed already; not negative.
  var hash: Int { get }
  /// The key under which the fetch stores its partial body, which others may resume.
  var part: Part { get }
}
