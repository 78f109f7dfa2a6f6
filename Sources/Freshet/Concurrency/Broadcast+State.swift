/// What a broadcast knows: which values are kept, how far each reader is, who waits.
///
/// A pure value; what it returns is done by ``Broadcast`` outside of its lock.
struct BroadcastState<Value: Sendable, Failure: PipelineFailure> {
  struct Reader {
    var nextValue: Int
    var seenProgress: Int
    let wantsProgress: Bool
    var waiter: Pause?
    var isCancelled = false
  }

  enum End {
    case finished
    case failed(Failure)
  }

  enum Step {
    case event(Event<Value>)
    case end(End?)
    case wait
  }

  let limit: Int
  private var values: [Value] = []
  private var firstValue = 0
  private(set) var progress: TransferProgress?
  private var progressCount = 0
  /// How many values had been sent before the newest progress.
  private var progressPlace = 0
  private(set) var end: End?
  /// Whether there is an end: it is large, and would be copied to be compared with `nil`.
  private(set) var hasEnded = false
  private var readers: [Int: Reader] = [:]
  private var nextReader = 0
  private var sender: Pause?

  init(limit: Int) {
    self.limit = limit
  }

  private var valueCount: Int { firstValue + values.count }

  mutating func join(wantsProgress: Bool = true) -> Int {
    defer { nextReader += 1 }
    readers[nextReader] = Reader(
      nextValue: max(firstValue, valueCount - 1),
      seenProgress: 0,
      wantsProgress: wantsProgress
    )
    return nextReader
  }

  mutating func leave(_ id: Int) -> [Pause] {
    let waiter = readers.removeValue(forKey: id)?.waiter
    return (waiter.map { [$0] } ?? []) + trim()
  }

  mutating func send(_ value: Value) -> [Pause] {
    guard !hasEnded else { return [] }
    values.append(value)
    return wakeReaders() + trim()
  }

  mutating func send(_ progress: TransferProgress) -> [Pause] {
    guard !hasEnded else { return [] }
    self.progress = progress
    progressCount += 1
    progressPlace = valueCount
    return wakeReaders { $0.wantsProgress }
  }

  mutating func finish(_ end: End) -> [Pause] {
    guard !hasEnded else { return [] }
    self.end = end
    hasEnded = true
    let sender = sender.take()
    return wakeReaders() + (sender.map { [$0] } ?? [])
  }

  /// Whether the sender must wait for the slowest reader.
  var isFull: Bool { values.count > limit && !hasEnded }

  mutating func park(sender: Pause) -> Bool {
    guard isFull else { return false }
    self.sender = sender
    return true
  }

  /// What the reader gets now, and whom taking it frees.
  mutating func step(_ id: Int) -> (Step, [Pause]) {
    let step = next(for: id)
    switch step {
    case .event(.value):
      readers[id]?.nextValue += 1
      return (step, trim())
    case .event(.progress):
      readers[id]?.seenProgress = progressCount
    case .end, .wait:
      break
    }
    return (step, [])
  }

  /// Parks the reader, unless there is something for it by now.
  mutating func park(_ id: Int, _ waiter: Pause) -> Bool {
    guard case .wait = next(for: id) else { return false }
    readers[id]?.waiter = waiter
    return true
  }

  /// Progress keeps its place among the values: what is older than the next value comes before it,
  /// what the reader has passed is skipped.
  private func next(for id: Int) -> Step {
    guard let reader = readers[id] else { return .end(nil) }
    if reader.isCancelled { return .end(.failed(Failure(.cancelled))) }
    if let progress, reader.wantsProgress, reader.seenProgress < progressCount,
      reader.nextValue == progressPlace
    {
      return .event(.progress(progress))
    }
    if reader.nextValue < valueCount {
      return .event(.value(values[reader.nextValue - firstValue]))
    }
    return end.map { .end($0) } ?? .wait
  }

  mutating func cancel(_ id: Int) -> [Pause] {
    readers[id]?.isCancelled = true
    return readers[id]?.waiter.take().map { [$0] } ?? []
  }

  private mutating func wakeReaders(_ concerns: (Reader) -> Bool = { _ in true }) -> [Pause] {
    var waiters: [Pause] = []
    // In its place: with the keys in hand, each change would copy the dictionary first.
    var index = readers.startIndex
    while index != readers.endIndex {
      if concerns(readers.values[index]), let waiter = readers.values[index].waiter.take() {
        waiters.append(waiter)
      }
      readers.formIndex(after: &index)
    }
    return waiters
  }

  /// Forgets the values that every reader has got, up to the last one; tells whom that frees.
  private mutating func trim() -> [Pause] {
    // No key path: in generic code it is made anew at each use.
    let slowest = readers.values.reduce(valueCount) { min($0, $1.nextValue) }
    let keep = min(slowest, valueCount - 1)
    if keep > firstValue {
      values.removeFirst(keep - firstValue)
      firstValue = keep
    }
    guard !isFull, let sender = sender.take() else { return [] }
    return [sender]
  }
}
