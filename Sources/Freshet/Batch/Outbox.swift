/// What waits for a reader, in order: signals that must arrive, and progress of which only the
/// newest counts.
struct Outbox<Signal> {
  private struct Entry {
    let signal: Signal
    let key: Int?
  }

  private var entries = Queue<Entry>()
  /// How many have ever been taken: what the place of an entry counts from.
  private var taken = 0
  /// Where the progress of each key waits.
  private var places: [Int: Int] = [:]

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }

  /// Adds a signal that must arrive; progress of `key` that comes later stays behind it.
  mutating func post(_ signal: consuming Signal, closing key: Int) {
    places[key] = nil
    entries.append(Entry(signal: signal, key: nil))
  }

  /// Adds progress, in place of what waits for the same key.
  mutating func post(_ signal: consuming Signal, replacing key: Int) {
    if let place = places[key] {
      entries.update(at: place - taken, Entry(signal: signal, key: key))
    } else {
      places[key] = taken + entries.count
      entries.append(Entry(signal: signal, key: key))
    }
  }

  /// The oldest, or `nil`.
  mutating func take() -> Signal? {
    guard let entry = entries.popFirst() else { return nil }
    if let key = entry.key, places[key] == taken { places[key] = nil }
    taken += 1
    return entry.signal
  }

  mutating func removeAll() {
    taken += entries.count
    entries.removeAll()
    places = [:]
  }
}
