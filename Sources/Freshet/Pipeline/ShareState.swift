/// Who reads a shared pipeline, and which run they read.
///
/// A pure value: runs are made and cancelled by ``SharedPipeline``.
struct ShareState<Run> {
  private(set) var run: Run?
  private var readers: Set<Int> = []
  private var nextReader = 0

  var readerCount: Int { readers.count }

  /// One reader more.
  ///
  /// - Parameter make: Makes a run; called when there is none.
  /// - Returns: The reader's number, the run it reads, and whether that has to be started.
  mutating func join(make: () -> Run) -> (reader: Int, run: Run, isNew: Bool) {
    nextReader += 1
    readers.insert(nextReader)
    if let run { return (nextReader, run, false) }
    let made = make()
    run = made
    return (nextReader, made, true)
  }

  /// One reader less; harmless if it has left.
  ///
  /// - Parameters:
  ///   - reader: Who leaves.
  ///   - hasEnded: Whether a run has come to its end, which is kept to be replayed.
  /// - Returns: The run that nobody reads any more and that has to be cancelled.
  mutating func leave(_ reader: Int, hasEnded: (Run) -> Bool) -> Run? {
    guard readers.remove(reader) != nil, readers.isEmpty, let run, !hasEnded(run) else {
      return nil
    }
    self.run = nil
    return run
  }
}
