/// A file that gives way to those that were used later.
struct EvictionCandidate {
  let name: String
  let bytes: Int64
  /// When it was used last, see ``DirectoryEntry/orderingTime(_:)``.
  let used: Double
}

extension [EvictionCandidate] {
  /// The size of all of them.
  var bytes: Int64 { reduce(0) { $0 + $1.bytes } }

  /// Returns those for which there is no room beside the ones that were used later.
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
