extension Task where Success == Void, Failure == Never {
  /// Starts a task on the caller's thread, where it runs until it waits for the first time.
  ///
  /// Before macOS 26, and the releases of its year, it begins on a thread of the concurrency pool.
  ///
  /// - Parameter work: The work, which belongs to no actor.
  /// - Returns: The task.
  @discardableResult
  package static func immediateIfAvailable(
    _ work: @escaping @concurrent @Sendable () async -> Void
  ) -> Task {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      Task.immediate(operation: work)
    } else {
      Task(operation: work)
    }
  }
}
