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
    let former = rows.removeValue(forKey: hash)
    let others = former.map { $0.others + [$0.first] } ?? []
    rows.set(Row(first: Entry(key: key, value: value), others: others), for: hash)
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

  /// Removes a value, if it is the one that is meant; harmless if the key has none.
  ///
  /// - Returns: Whether it has been removed.
  @discardableResult
  mutating func removeValue(
    for key: Key,
    hash: Int,
    where isMeant: (Value) -> Bool = { _ in true }
  ) -> Bool {
    func fits(_ entry: Entry) -> Bool { entry.key == key && isMeant(entry.value) }
    guard let row = rows.removeValue(forKey: hash) else { return false }
    if row.others.isEmpty, fits(row.first) {
      count -= 1
      return true
    }
    var entries = row.others + [row.first]
    let place = entries.firstIndex(where: fits)
    if let place {
      entries.remove(at: place)
      count -= 1
    }
    let first = entries.removeLast()
    rows.set(Row(first: first, others: entries), for: hash)
    return place != nil
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
