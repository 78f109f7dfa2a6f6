/// A dictionary for keys that are numbers of our own, such as those that are given out one after the
/// other.
///
/// One multiplication finds the place of a key; the hashing of `Dictionary` was a tenth of what an item
/// of a batch took beyond its transfer. It is not for numbers that somebody else chooses, who could
/// choose those that all want one place.
struct NumberMap<Value> {
  private static var none: Int { -1 }

  /// A value that is changed where it is.
  fileprivate struct Held {
    var value: Value

    mutating func change<Result>(_ body: (inout Value) -> Result) -> Result { body(&value) }
  }

  /// At least twice as many places as there are keys.
  private var keys: [Int] = []
  private var values: [Held?] = []
  private(set) var count = 0
  /// How many of the bits that a key is spread over are not its place.
  private var shift: UInt64 = 64

  init() {}

  var isEmpty: Bool { count == 0 }
  /// How many places there are.
  var capacity: Int { keys.count }

  /// The value of a key, which is not negative.
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

  /// Sets the value of a key, which is not negative.
  mutating func set(_ value: consuming Value, for key: Int) {
    values[makePlace(for: key)] = Held(value: value)
  }

  /// Looks at the value of a key where it is.
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
    // A burst leaves nothing behind that would have to be gone through.
    if 8 * count < keys.count, keys.count > 64 { resize(to: keys.count / 2) }
    return held?.value
  }

  /// Changes the value of a key where it is.
  ///
  /// - Returns: What the closure returns; `nil` if the key has no value.
  mutating func change<Result>(_ key: Int, _ body: (inout Value) -> Result) -> Result? {
    guard let place = place(of: key) else { return nil }
    return values[place]?.change(body)
  }

  /// Goes through all where they are, in no order.
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
  /// Where a key would like to be: neighbours are spread (Knuth's multiplicative hashing), because a
  /// key that goes would have to look at all that stand behind it.
  private func home(of key: Int) -> Int {
    Int(truncatingIfNeeded: (UInt64(truncatingIfNeeded: key) &* 0x9E37_79B9_7F4A_7C15) >> shift)
  }

  private func next(_ place: Int) -> Int { (place + 1) & (keys.count - 1) }

  /// How far a place is behind the one where its key would like to be.
  private func distance(_ place: Int) -> Int { (place - home(of: keys[place])) & (keys.count - 1) }

  /// Where a key stands, or would stand: there is always a free place, once there are places.
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

  /// The place of a key, which gets one if it has none.
  private mutating func makePlace(for key: Int) -> Int {
    if 2 * (count + 1) > keys.count, place(of: key) == nil { resize(to: max(8, 2 * keys.count)) }
    let place = seat(of: key)
    if keys[place] == Self.none {
      keys[place] = key
      count += 1
    }
    return place
  }

  /// `size` is a power of two.
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

  /// Gives a place up; those behind it that stand there only because it was taken move up.
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
