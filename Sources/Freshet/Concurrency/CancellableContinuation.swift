/// Suspends the task until its continuation is resumed, which cancelling the task can bring about.
///
/// A task that is cancelled already calls `onCancel` before `body`: what `onCancel` changes under a lock,
/// `body` has to look at under the same lock. `Task.isCancelled` is set by then, too.
///
/// It is not of the checked kind, see ``Pause``.
///
/// - Parameters:
///   - body: Stores the continuation and returns `nil`, or returns the value that there is already.
///   - onCancel: Resumes the continuation, if it is stored.
/// - Returns: The value.
package func withCancellableContinuation<Value: Sendable>(
  _ body: (UnsafeContinuation<Value, Never>) -> Value?,
  onCancel: @Sendable () -> Void
) async -> Value {
  await withTaskCancellationHandler {
    await withUnsafeContinuation { continuation in
      if let value = body(continuation) { continuation.resume(returning: value) }
    }
  } onCancel: {
    onCancel()
  }
}
