/// The continuation of a waiting task, which must be resumed exactly once.
///
/// It is not a checked one, whose layout is only known at run time; so would be that of each state that
/// contains one, and of each waiting function that a lock around such a state is inlined into. That was
/// a twentieth of the overhead of an item of a batch.
typealias WaitContinuation = UnsafeContinuation<Void, Never>

/// Suspends the task until its continuation is resumed, which a cancellation of the task can do.
///
/// If the task is cancelled already, `onCancel` is called before `body`: `body` has to check, under the
/// same lock, the state that `onCancel` changes. `Task.isCancelled` is already `true` then.
///
/// The continuation is not a checked one, see ``WaitContinuation``. `body` does not run on the caller's actor: what
/// it changes needs a lock.
///
/// - Parameters:
///   - body: A closure that stores the continuation and returns `nil`, or returns the value if there is
///     one already.
///   - onCancel: A closure that resumes the continuation, if it is stored.
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
