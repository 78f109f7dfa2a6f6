/// The readers of a shared pipeline, and its current run.
///
/// A pure value: ``SharedPipeline`` starts and cancels the runs.
struct ShareState<Run> {
  private(set) var run: Run?
  private var readers: Set<Int> = []
  private var nextReader = 0

  var readerCount: Int { readers.count }

  /// Adds a reader.
  ///
  /// - Parameter make: A closure that makes a run; called when there is none.
  /// - Returns: The reader's number, the run it reads, and a Boolean value that indicates whether the
  ///   run has to be started.
  mutating func join(make: () -> Run) -> (reader: Int, run: Run, isNew: Bool) {
    nextReader += 1
    readers.insert(nextReader)
    if let run { return (nextReader, run, false) }
    let made = make()
    run = made
    return (nextReader, made, true)
  }

  /// Removes a reader; has no effect if it has already left.
  ///
  /// - Parameters:
  ///   - reader: The number of the reader.
  ///   - hasEnded: A closure that indicates whether a run has ended; such a run is kept, to be replayed.
  /// - Returns: The run that has no readers any more and has to be cancelled.
  mutating func leave(_ reader: Int, hasEnded: (Run) -> Bool) -> Run? {
    guard readers.remove(reader) != nil, readers.isEmpty, let run, !hasEnded(run) else {
      return nil
    }
    self.run = nil
    return run
  }
}
