/// Reading on after a cancellation.
package enum CancelledReading {
  /// Reads a sequence in a cancelled task, past its failure.
  ///
  /// - Returns: The number of failures in five reads.
  package static func failures<Events: AsyncSequence & Sendable>(of events: Events) async -> Int {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var iterator = events.makeAsyncIterator()
      var count = 0
      for _ in 0..<5 {
        do { _ = try await iterator.next(isolation: #isolation) } catch { count += 1 }
      }
      return count
    }
    return await task.value
  }
}
