/// The shared fetches in progress and their subscribers.
///
/// A pure value: ``Coalescer`` carries out what it returns, priority changes under its lock and all
/// else outside of it.
struct CoalescerState<Key: CoalescerKey, Fetch: Sendable> {
  /// One subscription to one shared fetch.
  struct Ticket: Sendable {
    let key: Key
    let fetch: Int
    let subscriber: Int
  }

  enum Outcome {
    /// The subscriber is the first: the shared fetch has to be started.
    case leads(Fetch, Ticket)
    /// The subscriber joins a shared fetch.
    case joins(Fetch, Ticket, highest: Request.Priority)
    /// An equal fetch has completed since the subscriber began: its result may be stored by now.
    case completedMeanwhile
    /// An equal fetch was cancelled and has not ended: it may store a partial body.
    case leaving(Fetch, Ticket)
  }

  enum Unsubscription {
    /// The last subscriber has left: the shared fetch has to be cancelled.
    case last(Fetch)
    /// Other subscribers are left; the highest of their priorities is this one.
    case others(Fetch, highest: Request.Priority)
    /// The shared fetch had completed.
    case none
  }

  private struct Entry {
    let id: Int
    let fetch: Fetch
    var subscribers = SubscriberPriorities()
  }

  private var entries: [Key: Entry] = [:]
  /// The shared fetches that are closed to new subscribers, by number.
  private var detached: [Int: Entry] = [:]
  /// The shared fetches that were cancelled and have not ended, by the key they write to, the oldest first.
  private var leaving: [Key.Part: [(id: Int, fetch: Fetch)]] = [:]
  private var nextID = 0
  /// The epoch of the latest completion, by a slot that the hash of the key selects.
  ///
  /// If two keys share a slot, a lookup may be repeated unnecessarily.
  private var completions: [Int]
  /// The number of completions so far.
  private(set) var epoch = 0

  /// Creates a state that records completions in a number of slots, which must be at least one.
  init(places: Int = 512) {
    completions = Array(repeating: 0, count: places)
  }

  var count: Int { entries.count + detached.count }

  var subscriberCount: Int {
    entries.values.reduce(0) { $0 + $1.subscribers.count }
      + detached.values.reduce(0) { $0 + $1.subscribers.count }
  }

  /// Subscribes to the shared fetch of a key, and creates one if there is none.
  ///
  /// - Parameters:
  ///   - key: The key of the shared fetch.
  ///   - priority: The subscriber's priority.
  ///   - since: The ``epoch`` before the subscriber's lookups; `nil` skips the checks for later
  ///     completions and for a cancelled fetch.
  ///   - make: A closure that creates a shared fetch.
  /// - Returns: The subscription, or the reason why the stores have to be queried again first.
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
      return .joins(entry.fetch, ticket, highest: entry.subscribers.highest)
    }
    if let since {
      if since < completions[key.hash % completions.count] { return .completedMeanwhile }
      if !leaving.isEmpty, let (id, fetch) = leaving[key.part]?.first {
        return .leaving(fetch, Ticket(key: key, fetch: id, subscriber: id))
      }
    }
    var entry = Entry(id: id, fetch: make())
    entry.subscribers.add(id, priority)
    entries[key] = entry
    return .leads(entry.fetch, Ticket(key: key, fetch: id, subscriber: id))
  }

  private mutating func join(_ key: Key, _ id: Int, _ priority: Request.Priority) -> Entry? {
    guard let index = entries.index(forKey: key) else { return nil }
    entries.values[index].subscribers.add(id, priority)
    return entries.values[index]
  }

  /// Closes shared fetches to new subscribers; present ones stay.
  mutating func detach(where isWanted: (Key) -> Bool) {
    for (key, entry) in entries where isWanted(key) {
      entries[key] = nil
      detached[entry.id] = entry
    }
  }

  /// Ends a subscription; has no effect if it has ended, or the shared fetch has completed.
  ///
  /// - Parameter ticket: The subscription.
  /// - Returns: The consequence for the shared fetch.
  mutating func leave(_ ticket: Ticket) -> Unsubscription {
    let unsubscription =
      detached[ticket.fetch] == nil
      ? Self.leave(ticket, in: &entries, ticket.key)
      : Self.leave(ticket, in: &detached, ticket.fetch)
    if case .last(let fetch) = unsubscription {
      leaving[ticket.key.part, default: []].append((ticket.fetch, fetch))
    }
    return unsubscription
  }

  private static func leave<Place>(
    _ ticket: Ticket,
    in entries: inout [Place: Entry],
    _ place: Place
  ) -> Unsubscription {
    guard let index = entries.index(forKey: place), entries.values[index].id == ticket.fetch,
      entries.values[index].subscribers.remove(ticket.subscriber)
    else { return .none }
    let entry = entries.values[index]
    guard entry.subscribers.isEmpty else {
      return .others(entry.fetch, highest: entry.subscribers.highest)
    }
    entries.remove(at: index)
    return .last(entry.fetch)
  }

  /// Removes a shared fetch that has ended.
  ///
  /// The completion of a detached one does not concern other fetches, and a cancelled one has no
  /// result; neither counts.
  mutating func complete(_ ticket: Ticket) {
    if !leaving.isEmpty, hasLeft(ticket) { return }
    if !detached.isEmpty, detached.removeValue(forKey: ticket.fetch) != nil { return }
    guard let index = entries.index(forKey: ticket.key), entries.values[index].id == ticket.fetch
    else { return }
    entries.remove(at: index)
    epoch += 1
    completions[ticket.key.hash % completions.count] = epoch
  }

  /// Removes a cancelled fetch that has ended.
  ///
  /// - Returns: A Boolean value that indicates whether the fetch had been cancelled.
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

  /// A precomputed hash, which is not negative.
  var hash: Int { get }
  /// The key under which the fetch stores its partial body, from which others may resume.
  var part: Part { get }
}
