/// The choice of the changes that are sent next; a pure value.
struct ChangeSchedule {
  /// All changes, in the order in which they were made.
  var entries: [ChangeEntry]
  /// The changes that are being sent by this process.
  var running: Set<Int64> = []
  /// Those of them whose conflict is being decided, which leave their places to others.
  var deciding: Set<Int64> = []
  var isPaused = false
  var isOnline = true
  var maximumConcurrent = 4
  /// The time in seconds since 1970.
  var now: Double
  /// The longest pause that the policy allows, in seconds: a later time was set by a wrong clock.
  var longestPause: Double

  struct Next: Equatable {
    /// The changes to send now.
    var start: [Int64] = []
    /// The time at which to choose again; `nil` if it depends on events only.
    var wake: Double?
  }

  /// Chooses the earliest change of each model that may be sent.
  ///
  /// A change that has failed, or whose type is unknown, blocks no other change. One that waits,
  /// for a time or an identity, keeps the later ones of its model waiting. One that failed and is tried again
  /// comes behind a later one that was sent already, whose answer would be taken for a newer one otherwise, unless
  /// that one waits for an identity.
  var next: Next {
    var next = Next()
    if isPaused || !isOnline { return next }
    let room = maximumConcurrent - running.subtracting(deciding).count
    var taken = Set(entries.filter { running.contains($0.number) }.map(\.subject))
    let living = entries.filter { $0.state != .failed && $0.isKnown }
    let sent = Dictionary(
      living.filter { $0.wasSent && !$0.isBlocked }.map { ($0.subject, $0.number) },
      uniquingKeysWith: { first, _ in first }
    )
    for entry in living where entry.number == sent[entry.subject] ?? entry.number {
      guard taken.insert(entry.subject).inserted, !entry.isBlocked else { continue }
      if let due = entry.due, due > now + 0.001, due - now <= longestPause {
        next.wake = min(next.wake ?? due, due)
      } else if next.start.count < room {
        next.start.append(entry.number)
      }
    }
    return next
  }
}
