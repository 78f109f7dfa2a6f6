/// The entries of a map, found one after the other without copies.
///
/// Types read their keys in their own order; a search continues after the last key, and a missing
/// key is detected as soon as a later one is found.
final class RecordFields {
  private let record: ModelRecord
  private let count: Int
  private let start: Int
  private var index = 0
  private var offset: Int

  init(_ record: ModelRecord, _ count: Int, _ start: Int) {
    self.record = record
    self.count = count
    self.start = start
    offset = start
  }

  /// Returns the position of a key's value.
  func find(_ key: String) throws(RecordDamage) -> Int? {
    var isFirst = true
    var isFromStart = index == 0
    while true {
      guard index < count else {
        if isFromStart { return nil }
        rewind()
        (isFirst, isFromStart) = (true, true)
        continue
      }
      let name = try record.textRange(offset)
      let order = record.compare(key, name)
      if order == 0 { return name.upperBound }
      if order < 0 {
        if isFromStart || !isFirst { return nil }
        rewind()
        (isFirst, isFromStart) = (true, true)
        continue
      }
      isFirst = false
      offset = try record.end(name.upperBound)
      index += 1
    }
  }

  private func rewind() {
    index = 0
    offset = start
  }

  /// Returns all keys and the positions of their values.
  func all() throws(RecordDamage) -> [(String, Int)] {
    var entries: [(String, Int)] = []
    var offset = start
    for _ in 0..<count {
      let name = try record.textRange(offset)
      entries.append((record.text(name), name.upperBound))
      offset = try record.end(name.upperBound)
    }
    return entries
  }
}
