import Dispatch
import Freshet

/// Runs decodings on background threads, a few at a time; a cancelled task leaves the queue.
final class DecodingQueue: Sendable {
  /// The number of free slots.
  private let vacant: Watched<Int>
  private let threads = DispatchQueue(
    label: "freshet.images.decoding",
    qos: .userInitiated,
    attributes: .concurrent
  )

  init(width: Int) {
    vacant = Watched(max(1, width))
  }

  /// Runs work when there is a free slot.
  ///
  /// - Parameter work: The work. Its flag is set when the task is cancelled while it runs.
  /// - Returns: The result of the work.
  /// - Throws: ``ImageError/resource(_:)`` with `cancelled` if the task is cancelled before the work
  ///   begins.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable (DecodingCancellation) throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard await enter() else { throw .resource(.cancelled) }
    let cancellation = DecodingCancellation()
    let result = await withCancellableContinuation {
      (continuation: UnsafeContinuation<Result<Value, ImageError>, Never>) in
      threads.async {
        let result = Result { () throws(ImageError) in try work(cancellation) }
        // The slot goes to the task that has waited for the longest.
        self.vacant.update { $0 += 1 }
        continuation.resume(returning: result)
      }
      return nil
    } onCancel: {
      cancellation.set()
    }
    return try result.get()
  }

  /// Runs work that is not interrupted when there is a free slot.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    try await run { _ throws(ImageError) in try work() }
  }

  /// The number of tasks that wait for a slot.
  var waitingCount: Int { vacant.waiterCount }

  /// Waits for a slot; returns `false` as soon as the task is cancelled.
  private func enter() async -> Bool {
    guard !Task.isCancelled else { return false }
    return await vacant.first { vacant in
      guard vacant > 0 else { return nil }
      vacant -= 1
      return true
    } ?? false
  }
}
