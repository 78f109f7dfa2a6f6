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
    let fetch: Fetch
    var subscribers = SubscriberPriorities()
  }

  /// The shared fetches in progress, by number.
  private var entries: [Int: Entry] = [:]
  /// The numbers of those that are open to new subscribers.
  private var open: [Key: Int] = [:]
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

  var count: Int { entries.count }

  var subscriberCount: Int { entries.values.reduce(0) { $0 + $1.subscribers.count } }

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
    if let number = open[key], let index = entries.index(forKey: number) {
      entries.values[index].subscribers.add(id, priority)
      let entry = entries.values[index]
      let ticket = Ticket(key: key, fetch: number, subscriber: id)
      return .joins(entry.fetch, ticket, highest: entry.subscribers.highest)
    }
    if let since {
      if since < completions[key.hash % completions.count] { return .completedMeanwhile }
      if !leaving.isEmpty, let (id, fetch) = leaving[key.part]?.first {
        return .leaving(fetch, Ticket(key: key, fetch: id, subscriber: id))
      }
    }
    var entry = Entry(fetch: make())
    entry.subscribers.add(id, priority)
    entries[id] = entry
    open[key] = id
    return .leads(entry.fetch, Ticket(key: key, fetch: id, subscriber: id))
  }

  /// Closes shared fetches to new subscribers; present ones stay.
  mutating func detach(where isWanted: (Key) -> Bool) {
    for key in open.keys where isWanted(key) { open[key] = nil }
  }

  /// Ends a subscription; has no effect if it has ended, or the shared fetch has completed.
  ///
  /// - Parameter ticket: The subscription.
  /// - Returns: The consequence for the shared fetch.
  mutating func leave(_ ticket: Ticket) -> Unsubscription {
    guard let index = entries.index(forKey: ticket.fetch),
      entries.values[index].subscribers.remove(ticket.subscriber)
    else { return .none }
    let entry = entries.values[index]
    guard entry.subscribers.isEmpty else {
      return .others(entry.fetch, highest: entry.subscribers.highest)
    }
    entries.remove(at: index)
    close(ticket)
    leaving[ticket.key.part, default: []].append((ticket.fetch, entry.fetch))
    return .last(entry.fetch)
  }

  /// Closes a shared fetch to new subscribers; returns `false` if it was closed before.
  @discardableResult
  private mutating func close(_ ticket: Ticket) -> Bool {
    guard let index = open.index(forKey: ticket.key), open.values[index] == ticket.fetch else {
      return false
    }
    open.remove(at: index)
    return true
  }

  /// Removes a shared fetch that has ended.
  ///
  /// The completion of a detached one does not concern other fetches, and a cancelled one has no
  /// result; neither counts.
  mutating func complete(_ ticket: Ticket) {
    if !leaving.isEmpty, hasLeft(ticket) { return }
    guard entries.removeValue(forKey: ticket.fetch) != nil, close(ticket) else { return }
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
