/// A dictionary for non-negative integer keys that Freshet assigns itself, such as consecutive numbers.
///
/// It hashes with one multiplication; the hashing of `Dictionary` was a tenth of the overhead of an
/// item of a batch. It must not be used for numbers that others choose, because they could choose keys
/// that all collide.
struct NumberMap<Value> {
  private static var none: Int { -1 }

  /// A value that can be mutated in place.
  fileprivate struct Held {
    var value: Value

    mutating func change<Result>(_ body: (inout Value) -> Result) -> Result { body(&value) }
  }

  /// The keys by slot, of which there are at least twice as many as keys.
  private var keys: [Int] = []
  private var values: [Held?] = []
  private(set) var count = 0
  /// The number of hash bits to drop: 64 minus the bits of a slot's index.
  private var shift: UInt64 = 64

  init() {}

  var isEmpty: Bool { count == 0 }
  /// The number of slots.
  var capacity: Int { keys.count }

  /// The value of a key, which must not be negative.
  subscript(key: Int) -> Value? {
    get { place(of: key).flatMap { values[$0]?.value } }
    set {
      guard let newValue else {
        removeValue(forKey: key)
        return
      }
      set(newValue, for: key)
    }
  }

  /// Sets the value of a key, which must not be negative.
  mutating func set(_ value: consuming Value, for key: Int) {
    values[makePlace(for: key)] = Held(value: value)
  }

  /// Reads the value of a key in place.
  func look<Result>(at key: Int, _ body: (borrowing Value) -> Result) -> Result? {
    guard let place = place(of: key) else { return nil }
    switch values[place] {
    case .some(let held): return body(held.value)
    case nil: return nil
    }
  }

  @discardableResult
  mutating func removeValue(forKey key: Int) -> Value? {
    guard let place = place(of: key) else { return nil }
    let held = values[place].take()
    count -= 1
    close(place)
    // Shrinks, so that after a burst ``visit(_:)`` does not have to scan empty slots.
    if 8 * count < keys.count, keys.count > 64 { resize(to: keys.count / 2) }
    return held?.value
  }

  /// Changes the value of a key in place.
  ///
  /// - Returns: The result of the closure; `nil` if the key has no value.
  mutating func change<Result>(_ key: Int, _ body: (inout Value) -> Result) -> Result? {
    guard let place = place(of: key) else { return nil }
    return values[place]?.change(body)
  }

  /// Visits all entries in place, in no particular order.
  func visit(_ body: (Int, borrowing Value) -> Void) {
    guard count > 0 else { return }
    for place in keys.indices {
      switch values[place] {
      case .some(let held): body(keys[place], held.value)
      case nil: continue
      }
    }
  }
}

// MARK: - Places

extension NumberMap {
  /// The preferred slot of a key.
  ///
  /// Consecutive keys are spread out (Knuth's multiplicative hashing): otherwise they would form long
  /// runs, which each removal has to scan.
  private func home(of key: Int) -> Int {
    Int(truncatingIfNeeded: (UInt64(truncatingIfNeeded: key) &* 0x9E37_79B9_7F4A_7C15) >> shift)
  }

  private func next(_ place: Int) -> Int { (place + 1) & (keys.count - 1) }

  /// The distance of a slot from the preferred slot of its key.
  private func distance(_ place: Int) -> Int { (place - home(of: keys[place])) & (keys.count - 1) }

  /// The slot that holds a key, or the free one where it would go.
  ///
  /// At least one slot is free once there are slots.
  private func seat(of key: Int) -> Int {
    var place = home(of: key)
    while keys[place] != key, keys[place] != Self.none { place = next(place) }
    return place
  }

  private func place(of key: Int) -> Int? {
    guard count > 0 else { return nil }
    let seat = seat(of: key)
    return keys[seat] == key ? seat : nil
  }

  /// Returns the slot of a key, and assigns one if the key has none.
  private mutating func makePlace(for key: Int) -> Int {
    if 2 * (count + 1) > keys.count, place(of: key) == nil { resize(to: max(8, 2 * keys.count)) }
    let place = seat(of: key)
    if keys[place] == Self.none {
      keys[place] = key
      count += 1
    }
    return place
  }

  /// Rehashes into `size` slots, which must be a power of two.
  private mutating func resize(to size: Int) {
    let (oldKeys, oldValues) = (keys, values)
    keys = Array(repeating: Self.none, count: size)
    values = Array(repeating: nil, count: size)
    shift = UInt64(64 - size.trailingZeroBitCount)
    for (key, held) in zip(oldKeys, oldValues) where key != Self.none {
      let place = seat(of: key)
      keys[place] = key
      values[place] = held
    }
  }

  /// Frees a slot, and moves up the following entries that it had displaced.
  private mutating func close(_ place: Int) {
    var hole = place
    var follower = next(hole)
    while keys[follower] != Self.none {
      if distance(follower) >= (follower - hole) & (keys.count - 1) {
        keys[hole] = keys[follower]
        values[hole] = values[follower].take()
        hole = follower
      }
      follower = next(follower)
    }
    keys[hole] = Self.none
  }
}

extension NumberMap.Held: Sendable where Value: Sendable {}
extension NumberMap: Sendable where Value: Sendable {}
