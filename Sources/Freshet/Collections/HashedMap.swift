/// A dictionary whose keys have a hash at hand: it is not computed anew for each access.
///
/// The hashes are not negative, and of the kind that nobody can choose.
struct HashedMap<Key: Equatable, Value> {
  fileprivate struct Entry {
    let key: Key
    var value: Value
  }

  /// What has the same hash: one, nearly always.
  fileprivate struct Row {
    var first: Entry
    var others: [Entry] = []
  }

  private var rows = NumberMap<Row>()
  private(set) var count = 0

  init() {}

  /// Adds the value of a key that has none yet.
  mutating func insert(_ value: consuming Value, for key: consuming Key, hash: Int) {
    count += 1
    var row = Row(first: Entry(key: key, value: value))
    if let former = rows.removeValue(forKey: hash) { row.others = former.others + [former.first] }
    rows.set(row, for: hash)
  }

  /// Changes a value where it is.
  ///
  /// - Returns: What the closure returns; `nil` if the key has no value.
  mutating func change<Result>(
    _ key: Key,
    hash: Int,
    _ body: (inout Value) -> Result
  ) -> Result? {
    let result: Result?? = rows.change(hash) { row in
      if row.first.key == key { return body(&row.first.value) }
      guard let place = row.others.firstIndex(where: { $0.key == key }) else { return nil }
      return body(&row.others[place].value)
    }
    return result ?? nil
  }

  /// Removes a value; harmless if the key has none.
  mutating func removeValue(for key: Key, hash: Int) {
    let left: (isRemoved: Bool, isEmpty: Bool)? = rows.change(hash) { row in
      guard row.first.key == key else {
        let place = row.others.firstIndex { $0.key == key }
        if let place { row.others.remove(at: place) }
        return (place != nil, false)
      }
      guard let next = row.others.popLast() else { return (true, true) }
      row.first = next
      return (true, false)
    }
    guard let left, left.isRemoved else { return }
    count -= 1
    if left.isEmpty { rows.removeValue(forKey: hash) }
  }

  /// Goes through all, in no order.
  func visit(_ body: (Key, Value) -> Void) {
    rows.visit { _, row in
      body(row.first.key, row.first.value)
      for entry in row.others { body(entry.key, entry.value) }
    }
  }
}

extension HashedMap.Entry: Sendable where Key: Sendable, Value: Sendable {}
extension HashedMap.Row: Sendable where Key: Sendable, Value: Sendable {}
extension HashedMap: Sendable where Key: Sendable, Value: Sendable {}
