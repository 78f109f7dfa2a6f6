/// Which flights are in the air, and who sits in them.
///
/// A pure value; what it returns is done by ``Flights``: priorities are changed under its lock, all else
/// is done outside of it.
struct FlightsState<Key: FlightsKey, Flight: Sendable> {
  /// One subscriber's place in one flight.
  struct Ticket: Sendable {
    let key: Key
    let flight: Int
    let subscriber: Int
  }

  enum Boarding {
    /// The first one: the flight has to be started.
    case leads(Flight, Ticket)
    /// One more.
    case joins(Flight, Ticket, highest: Request.Priority)
    /// One has landed since the subscriber began: what it brought may be stored by now.
    case landedMeanwhile
    /// One that nobody wants any more has not ended yet: what it has may be put down by then.
    case leaving(Flight, Ticket)
  }

  enum Departure {
    /// Nobody is left: the flight has to be cancelled.
    case last(Flight)
    /// Others are left, the most urgent of them with this priority.
    case others(Flight, highest: Request.Priority)
    /// It had landed.
    case none
  }

  private struct Entry {
    /// The first subscriber's, too.
    let id: Int
    let flight: Flight
    /// The first subscriber's; most flights have no other.
    var first: Request.Priority?
    var others: [Int: Request.Priority] = [:]

    var count: Int { others.count + (first == nil ? 0 : 1) }
    var highest: Request.Priority { max(first ?? .low, others.values.max() ?? .low) }

    /// Whether the subscriber was there.
    mutating func remove(_ subscriber: Int) -> Bool {
      guard subscriber == id else { return others.removeValue(forKey: subscriber) != nil }
      return first.take() != nil
    }
  }

  private var entries = HashedMap<Key, Entry>()
  /// Flights that nobody can join any more, by their number.
  private var detached: [Int: Entry] = [:]
  /// Flights that were cancelled and have not ended, by what they write, the oldest first.
  private var leaving: [Key.Part: [(id: Int, flight: Flight)]] = [:]
  private var nextID = 0
  /// The number of the newest landing among the keys that share a place, which their hashes choose.
  ///
  /// Two that share one cost a look into the stores too many.
  private var landings: [Int]
  private(set) var landingCount = 0

  /// Remembers landings in so many places, at least one.
  init(places: Int = 512) {
    landings = Array(repeating: 0, count: places)
  }

  var count: Int { entries.count + detached.count }

  var subscriberCount: Int {
    var count = detached.values.reduce(0) { $0 + $1.count }
    entries.visit { count += $1.count }
    return count
  }

  /// Takes a place in the key's flight, or makes one.
  ///
  /// - Parameters:
  ///   - key: What is wanted.
  ///   - priority: How urgently.
  ///   - since: The ``landingCount`` when the subscriber looked into the stores; `nil` asks neither
  ///     whether one has landed since nor whether one is leaving.
  ///   - make: Makes a flight.
  /// - Returns: The place, or why the stores have to be asked again first.
  mutating func board(
    _ key: Key,
    priority: Request.Priority,
    since: Int?,
    make: () -> Flight
  ) -> Boarding {
    nextID += 1
    let id = nextID
    let joining: Boarding? = entries.change(key, hash: key.hash) { entry in
      entry.others[id] = priority
      let ticket = Ticket(key: key, flight: entry.id, subscriber: id)
      return .joins(entry.flight, ticket, highest: entry.highest)
    }
    if let joining { return joining }
    if let since {
      if hasLanded(key, since: since) { return .landedMeanwhile }
      if !leaving.isEmpty, let (id, flight) = leaving[key.part]?.first {
        return .leaving(flight, Ticket(key: key, flight: id, subscriber: id))
      }
    }
    let entry = Entry(id: nextID, flight: make(), first: priority)
    entries.insert(entry, for: key, hash: key.hash)
    return .leads(entry.flight, Ticket(key: key, flight: nextID, subscriber: nextID))
  }

  /// Lets nobody join these flights any more; who sits in them stays there.
  mutating func detach(where isWanted: (Key) -> Bool) {
    var wanted: [(Key, Entry)] = []
    entries.visit { key, entry in
      if isWanted(key) { wanted.append((key, entry)) }
    }
    for (key, entry) in wanted {
      entries.removeValue(for: key, hash: key.hash)
      detached[entry.id] = entry
    }
  }

  /// Gives a place up; harmless when it was given up, or the flight has landed.
  ///
  /// - Parameters:
  ///   - ticket: The place.
  ///   - isDone: Whether the flight has delivered its result, so that it leaves nothing behind that
  ///     is worth waiting for.
  /// - Returns: What becomes of the flight.
  mutating func leave(_ ticket: Ticket, isDone: Bool = false) -> Departure {
    let departure = vacate(ticket)
    if !isDone, case .last(let flight) = departure {
      leaving[ticket.key.part, default: []].append((ticket.flight, flight))
    }
    return departure
  }

  private mutating func vacate(_ ticket: Ticket) -> Departure {
    if detached[ticket.flight] != nil { return leaveDetached(ticket) }
    let departure: Departure? = entries.change(ticket.key, hash: ticket.key.hash) { entry in
      guard entry.id == ticket.flight, entry.remove(ticket.subscriber) else { return .none }
      return entry.count > 0
        ? .others(entry.flight, highest: entry.highest) : .last(entry.flight)
    }
    if case .last? = departure { entries.removeValue(for: ticket.key, hash: ticket.key.hash) }
    return departure ?? .none
  }

  private mutating func leaveDetached(_ ticket: Ticket) -> Departure {
    guard var entry = detached[ticket.flight], entry.remove(ticket.subscriber) else { return .none }
    guard entry.count > 0 else {
      detached[ticket.flight] = nil
      return .last(entry.flight)
    }
    detached[ticket.flight] = entry
    return .others(entry.flight, highest: entry.highest)
  }

  /// Ends a flight.
  ///
  /// What a detached one has brought is no news for anybody else, and one that was cancelled before
  /// has brought nothing.
  mutating func land(_ ticket: Ticket) {
    if !leaving.isEmpty, hasLeft(ticket) { return }
    if !detached.isEmpty, detached.removeValue(forKey: ticket.flight) != nil { return }
    let hasLanded = entries.removeValue(for: ticket.key, hash: ticket.key.hash) { entry in
      entry.id == ticket.flight
    }
    guard hasLanded else { return }
    landingCount += 1
    landings[ticket.key.hash % landings.count] = landingCount
  }

  /// Whether the flight was leaving, which it is no more.
  private mutating func hasLeft(_ ticket: Ticket) -> Bool {
    let part = ticket.key.part
    guard let place = leaving[part]?.firstIndex(where: { $0.id == ticket.flight }) else {
      return false
    }
    leaving[part]?.remove(at: place)
    if leaving[part]?.isEmpty == true { leaving[part] = nil }
    return true
  }

  private func hasLanded(_ key: Key, since: Int) -> Bool {
    since < landings[key.hash % landings.count]
  }
}

/// What flights are registered under.
protocol FlightsKey: Hashable, Sendable {
  associatedtype Part: Hashable & Sendable

  /// A hash that is at hand; not negative.
  var hash: Int { get }
  /// What a flight leaves its unfinished body under: others may go on with it.
  var part: Part { get }
}
