extension DiskSession {
  /// Removes some of what was unused longest; it goes on until nine tenths of the limit are left.
  func evict() {
    let limit = max(shared.limits.bytes, 0)
    let touches = shared.touches.take()
    attempt { transaction throws(SQLiteError) in
      // The order of uses must be known before it decides.
      for (id, stamp) in touches { try transaction.touch(id, stamp) }
      isEvicting = try !transaction.evict(downTo: limit / 10 * 9)
    }
  }
}

extension DiskTransaction {
  private static let step = 256

  /// Deletes the least recently used records, a bounded number of them.
  ///
  /// - Returns: Whether there is nothing more to delete.
  func evict(downTo limit: Int64) throws(SQLiteError) -> Bool {
    var excess = try storedBytes() &- limit
    guard excess > 0 else { return true }
    let rows = try rows(
      """
      SELECT id, cost, file FROM usage JOIN response ON id = response
      ORDER BY used, response LIMIT \(Self.step)
      """
    )
    if rows.count < Self.step, rows.reduce(0, { $0 &+ $1.cost }) < excess {
      // More is counted than there is: the numbers are damaged, or the uses are.
      try recount()
      return try storedBytes() <= limit
    }
    for row in rows where excess > 0 {
      try delete(row)
      excess = excess &- row.cost
    }
    return excess <= 0
  }
}
