import FreshetEssentials

extension DiskSession {
  /// Removes some of the least recently used records, and continues later until nine tenths of the
  /// limit are left.
  func evict() {
    let limit = max(shared.limits.bytes, 0)
    let touches = shared.touches.take()
    attempt { transaction throws(SQLiteError) in
      // The order of uses must be current before the decision.
      for (id, stamp) in touches { try transaction.touch(id, stamp) }
      // A use by a clock that was ahead would outlast all others.
      let latest = DiskTouches.stamp(shared.tuning.now() + Invalidations.longestTransfer)
      try transaction.run("UPDATE usage SET used = 0 WHERE used > ?", .integer(latest))
      isEvicting = try !transaction.evict(downTo: limit / 10 * 9)
    }
  }
}

extension DiskTransaction {
  private static let step = 256

  /// Deletes the least recently used records, a bounded number of them.
  ///
  /// - Returns: A Boolean value that indicates whether there is nothing more to delete.
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
      // The total is larger than the sum of the records: it is damaged, or the uses are.
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
