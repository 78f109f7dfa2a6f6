/// The state of a broadcast: the buffered values, the position of each reader, and the waiting tasks.
///
/// A pure value: it collects the continuations, which ``Broadcast`` resumes outside of its lock, and the values that
/// it drops, whose deinitializers may use the broadcast.
struct BroadcastState<Value: Sendable, Failure: PipelineFailure> {
  struct Reader {
    let id: Int
    var nextValue: Int
    var seenProgress: Int
    let wantsProgress: Bool
    var waiter: WaitContinuation?
    var isCancelled = false
  }

  /// The continuations to resume and the values to release.
  struct Freed {
    fileprivate(set) var continuations: [WaitContinuation] = []
    /// The first value, apart from the others because there are rarely any.
    fileprivate var value: Value?
    fileprivate var others: [Value] = []
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
  /// The number of values that had been sent before the newest progress.
  private var progressPlace = 0
  private(set) var end: End?
  /// A Boolean value that indicates whether there is an end.
  ///
  /// ``end`` is large, and comparing it with `nil` would copy it.
  private(set) var hasEnded = false
  /// The readers, in the order of their numbers.
  private var readers: [Reader] = []
  private var nextReader = 0
  private var sender: WaitContinuation?

  init(limit: Int) {
    self.limit = limit
  }

  private var valueCount: Int { firstValue + values.count }

  mutating func join(wantsProgress: Bool = true) -> Int {
    defer { nextReader += 1 }
    let reader = Reader(
      id: nextReader,
      nextValue: max(firstValue, valueCount - 1),
      seenProgress: 0,
      wantsProgress: wantsProgress
    )
    readers.append(reader)
    return nextReader
  }

  mutating func leave(_ id: Int) -> Freed {
    guard let index = index(of: id) else { return Freed() }
    var freed = Freed()
    let reader = readers.remove(at: index)
    if let waiter = reader.waiter { freed.continuations.append(waiter) }
    trim(behind: reader.nextValue, &freed)
    return freed
  }

  mutating func send(_ value: Value) -> Freed {
    guard !hasEnded else { return Freed() }
    values.append(value)
    var freed = wakeReaders()
    trim(behind: firstValue, &freed)
    return freed
  }

  mutating func send(_ progress: TransferProgress) -> Freed {
    guard !hasEnded else { return Freed() }
    self.progress = progress
    progressCount += 1
    progressPlace = valueCount
    return wakeReaders { $0.wantsProgress }
  }

  mutating func finish(_ end: End) -> Freed {
    guard !hasEnded else { return Freed() }
    self.end = end
    hasEnded = true
    var freed = wakeReaders()
    if let sender = sender.take() { freed.continuations.append(sender) }
    return freed
  }

  /// A Boolean value that indicates whether the sender must wait for the slowest reader.
  var isFull: Bool { values.count > limit && !hasEnded }

  mutating func park(sender: WaitContinuation) -> Bool {
    guard isFull else { return false }
    self.sender = sender
    return true
  }

  /// Returns the reader's next step, and what taking it frees.
  mutating func step(_ id: Int) -> (Step, Freed) {
    guard let index = index(of: id) else { return (.end(nil), Freed()) }
    let step = next(for: readers[index])
    var freed = Freed()
    switch step {
    case .event(.value):
      readers[index].nextValue += 1
      trim(behind: readers[index].nextValue - 1, &freed)
    case .event(.progress):
      readers[index].seenProgress = progressCount
    case .end, .wait:
      break
    }
    return (step, freed)
  }

  /// Parks the reader, unless an event has arrived in the meantime.
  mutating func park(_ id: Int, _ waiter: WaitContinuation) -> Bool {
    guard let index = index(of: id), case .wait = next(for: readers[index]) else { return false }
    readers[index].waiter = waiter
    return true
  }

  /// Returns the reader's next step without taking it.
  ///
  /// Progress keeps its position among the values: it comes before a value that was sent later, and is
  /// skipped once the reader has passed that position.
  private func next(for reader: Reader) -> Step {
    if reader.isCancelled {
      let hasRead = hasEnded && reader.nextValue == valueCount
      return .end(hasRead ? end : .failed(Failure(.cancelled)))
    }
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

  mutating func cancel(_ id: Int) -> Freed {
    guard let index = index(of: id) else { return Freed() }
    readers[index].isCancelled = true
    return Freed(continuations: readers[index].waiter.take().map { [$0] } ?? [])
  }

  private func index(of id: Int) -> Int? {
    var candidates = readers.indices
    while let first = candidates.first {
      let middle = first + candidates.count / 2
      if readers[middle].id == id { return middle }
      candidates = readers[middle].id < id ? middle + 1..<candidates.upperBound : first..<middle
    }
    return nil
  }

  private mutating func wakeReaders(
    _ concerns: (Reader) -> Bool = { _ in true }
  ) -> Freed {
    var freed = Freed()
    for index in readers.indices where concerns(readers[index]) {
      if let waiter = readers[index].waiter.take() { freed.continuations.append(waiter) }
    }
    return freed
  }

  /// Drops the values that every reader has received, except the last one, and frees the sender if it may
  /// continue.
  ///
  /// - Parameters:
  ///   - place: The place that a reader has left. Only behind the first value there is something to drop.
  ///   - freed: It gets what is dropped.
  private mutating func trim(behind place: Int, _ freed: inout Freed) {
    // All readers are looked at, of which there may be thousands; they rarely need to be.
    guard place == firstValue, values.count > 1 else { return }
    // Not a key path: in generic code it would be created again at each use.
    let slowest = readers.reduce(valueCount) { min($0, $1.nextValue) }
    let keep = min(slowest, valueCount - 1)
    if keep > firstValue {
      freed.value = values.removeFirst()
      firstValue += 1
    }
    if keep > firstValue {
      freed.others = Array(values[..<(keep - firstValue)])
      values.removeFirst(keep - firstValue)
      firstValue = keep
    }
    if !isFull, let sender = sender.take() { freed.continuations.append(sender) }
  }
}
