/// The sums of a batch: completed, expected, and the rates.
///
/// A pure value; time is an argument. It stores a record for each running item, and of the others
/// only sums. The completed sum never falls and never exceeds the expected one.
///
/// Servers may announce any length: the sums are wide enough for all of them, and one that is too
/// large is reported as the largest number.
struct BatchAccount {
  private struct Part {
    var completed: Int64 = 0
    /// The number of completed bytes that were available before.
    var inherited: Int64 = 0
    /// The number of transferred bytes.
    var transferred: Int64 = 0
    var size: Int64?
  }

  /// The items that wait for their start.
  private var waitingBytes: Int128 = 0
  private var waitingUnknown = 0
  /// The items that run, and their sums.
  private var parts: [Int: Part] = [:]
  private var runningBytes: Int128 = 0
  private var runningTransferred: Int128 = 0
  private var runningExpected: Int128 = 0
  private var runningUnknown = 0
  /// The items that have ended.
  private var endedBytes: Int128 = 0
  private var endedTransferred: Int128 = 0
  private var endedItems = 0
  private var failedItems = 0
  private var offeredItems = 0
  private var isClosed = false
  private var highest = 0.0
  private var byteMeter = RateMeter()
  private var itemMeter = RateMeter()

  init(now: Duration) {
    byteMeter.record(0, at: now)
    itemMeter.record(0, at: now)
  }
}

// MARK: - Items

extension BatchAccount {
  /// Adds a waiting item, with its size if that is known.
  mutating func offer(size: Int64?) {
    offeredItems += 1
    waitingBytes += Int128(size ?? 0)
    if size == nil { waitingUnknown += 1 }
  }

  /// Adds items of unknown size until there are this many.
  mutating func offer(upTo count: Int) {
    while offeredItems < count { offer(size: nil) }
  }

  /// Records that no more items will come.
  mutating func close() {
    isClosed = true
  }

  /// Starts an item.
  ///
  /// - Parameters:
  ///   - id: The item.
  ///   - offered: The size with which it was offered.
  ///   - size: Its size, which the item of a sequence tells only when it starts.
  mutating func start(_ id: Int, offered: Int64?, size: Int64?) {
    waitingBytes -= Int128(offered ?? 0)
    if offered == nil { waitingUnknown -= 1 }
    insert(Part(size: size), id)
  }

  /// Records an item's progress; a decrease, as in a second attempt, is ignored.
  mutating func advance(_ id: Int, _ progress: TransferProgress, now: Duration) {
    guard var part = parts[id] else { return }
    subtract(part)
    part.completed = max(part.completed, progress.completed)
    // A stage may announce anything.
    part.inherited = max(0, progress.inherited)
    part.transferred = max(part.transferred, max(0, progress.completed) - part.inherited)
    if let size = progress.total ?? part.size { part.size = max(size, part.completed) }
    insert(part, id)
    byteMeter.record(Double(Int64(clamping: transferred)), at: now)
  }

  /// Ends an item.
  ///
  /// - Parameters:
  ///   - id: The item.
  ///   - bytes: The size of its value, if it is known better than from its progress.
  ///   - failed: A Boolean value that indicates whether it failed.
  ///   - now: The current time.
  mutating func end(_ id: Int, bytes: Int64?, failed: Bool, now: Duration) {
    guard let part = remove(id) else { return }
    endedBytes += Int128(max(part.completed, bytes ?? 0))
    endedTransferred += Int128(max(part.transferred, (bytes ?? 0) - part.inherited))
    endedItems += 1
    if failed { failedItems += 1 }
    byteMeter.record(Double(Int64(clamping: transferred)), at: now)
    itemMeter.record(Double(endedItems), at: now)
  }

  private mutating func insert(_ part: Part, _ id: Int) {
    parts[id] = part
    runningBytes += Int128(part.completed)
    runningTransferred += Int128(part.transferred)
    runningExpected += Int128(part.size ?? part.completed)
    if part.size == nil { runningUnknown += 1 }
  }

  private mutating func remove(_ id: Int) -> Part? {
    guard let part = parts.removeValue(forKey: id) else { return nil }
    subtract(part)
    return part
  }

  private mutating func subtract(_ part: Part) {
    runningBytes -= Int128(part.completed)
    runningTransferred -= Int128(part.transferred)
    runningExpected -= Int128(part.size ?? part.completed)
    if part.size == nil { runningUnknown -= 1 }
  }
}

// MARK: - Sums

extension BatchAccount {
  private var completed: Int128 { endedBytes + runningBytes }

  /// All bytes so far except those that were available before, for measuring the rate.
  private var transferred: Int128 { endedTransferred + runningTransferred }

  /// All bytes except those of unknown size.
  private var expected: Int128 { endedBytes + runningExpected + waitingBytes }

  private var unknownItems: Int { waitingUnknown + runningUnknown }

  private var total: Int128? { isClosed && unknownItems == 0 ? expected : nil }

  /// Returns the progress; the fraction is never less than at the last call.
  mutating func progress(now: Duration) -> BatchProgress {
    let fraction = fraction.map { max($0, highest) }
    highest = fraction ?? highest
    var progress = BatchProgress()
    progress.completedBytes = Int64(clamping: completed)
    progress.totalBytes = total.map { Int64(clamping: $0) }
    progress.endedItems = endedItems
    progress.failedItems = failedItems
    progress.totalItems = offeredItems
    progress.knowsAllItems = isClosed
    progress.fraction = fraction
    progress.bytesPerSecond = byteMeter.rate(at: now)
    progress.itemsPerSecond = itemMeter.rate(at: now)
    progress.timeLeft = timeLeft(progress.bytesPerSecond, progress.itemsPerSecond)
    return progress
  }

  /// The fraction by bytes if all sizes are known, by items otherwise; 1 only when every item has ended.
  private var fraction: Double? {
    guard isClosed else { return nil }
    guard endedItems < offeredItems else { return 1 }
    let items = Double(endedItems) / Double(offeredItems)
    guard let total, total > 0 else { return items }
    return min(Double(completed) / Double(total), (1 as Double).nextDown)
  }

  private func timeLeft(_ byteRate: Double, _ itemRate: Double) -> Duration? {
    guard isClosed else { return nil }
    guard endedItems < offeredItems else { return .zero }
    let known = offeredItems - unknownItems
    let average = known > 0 ? Double(expected) / Double(known) : 0
    let bytes = Double(expected - completed) + average * Double(unknownItems)
    if bytes >= 1 { return byteRate > 0 ? Self.time(bytes / byteRate) : nil }
    return itemRate > 0 ? Self.time(Double(offeredItems - endedItems) / itemRate) : nil
  }

  /// Returns a duration, at most about three hundred million years, because more seconds would overflow.
  private static func time(_ seconds: Double) -> Duration {
    .seconds(min(seconds, 1e16))
  }
}
