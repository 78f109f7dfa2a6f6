/// A file that is removed before those that were used later.
struct EvictionCandidate {
  let name: String
  let bytes: Int64
  /// The time of its last use, see ``DirectoryEntry/orderingTime(_:)``.
  let used: Double
}

extension [EvictionCandidate] {
  /// The total size of the files, in bytes.
  var bytes: Int64 { reduce(0) { $0 + $1.bytes } }

  /// Returns the files for which there is no room beside those that were used later.
  func excess(over limit: Int64) -> [EvictionCandidate] {
    var room = limit
    return sorted { $0.used > $1.used }
      .filter { candidate in
        if candidate.bytes > room { return true }
        room -= candidate.bytes
        return false
      }
  }
}
