/// The signals for a reader, in order: those that are always delivered, and progress, of which only
/// the newest is.
struct EventBuffer<Signal> {
  fileprivate struct Entry {
    let signal: Signal
    let key: Int?
  }

  private var entries = Queue<Entry>()
  /// The number of entries that were taken, from which positions are counted.
  private var taken = 0
  /// The position of the pending progress of each key.
  private var places: [Int: Int] = [:]

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }

  /// Adds a signal that is always delivered; later progress of `key` stays behind it.
  mutating func post(_ signal: consuming Signal, closing key: Int) {
    places[key] = nil
    entries.append(Entry(signal: signal, key: nil))
  }

  /// Adds progress, and replaces pending progress of the same key.
  ///
  /// - Returns: The replaced progress, if there was any.
  @discardableResult
  mutating func post(_ signal: consuming Signal, replacing key: Int) -> Signal? {
    if let place = places[key] {
      return entries.update(at: place - taken, Entry(signal: signal, key: key))?.signal
    }
    places[key] = taken + entries.count
    entries.append(Entry(signal: signal, key: key))
    return nil
  }

  /// Removes and returns the oldest signal, or `nil`.
  mutating func take() -> Signal? {
    guard let entry = entries.popFirst() else { return nil }
    if let key = entry.key, places[key] == taken { places[key] = nil }
    taken += 1
    return entry.signal
  }
}

extension EventBuffer.Entry: Sendable where Signal: Sendable {}
extension EventBuffer: Sendable where Signal: Sendable {}
