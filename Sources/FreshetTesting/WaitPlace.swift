import Freshet

/// The place of a wait in the source of a test, to tell what it waited for when it is cancelled.
///
/// A time limit cancels a test that waits for what never comes, and does not say for what.
struct WaitPlace: Sendable {
  /// The receiver of the lines about cancelled waits; standard error by default.
  @TaskLocal static var tell: @Sendable (String) -> Void = { StandardErrorSink.write($0) }

  let fileID: StaticString
  let line: Int

  /// Tells that the wait was cancelled.
  func tellCancelled(_ words: String) {
    Self.tell("\(fileID):\(line): cancelled while waiting for \(words)")
  }
}

extension Watched {
  /// Waits until the condition holds.
  ///
  /// - Parameters:
  ///   - place: The place of the wait.
  ///   - words: A closure that says what is waited for, and what there is.
  ///   - condition: The condition.
  /// - Returns: `false` as soon as the task is cancelled.
  func wait(
    at place: WaitPlace,
    for words: @Sendable (State) -> String,
    until condition: @escaping @Sendable (State) -> Bool
  ) async -> Bool {
    await first(at: place, for: words) { condition($0) ? true : nil } ?? false
  }

  /// Waits for the first value that `take` returns; `nil` as soon as the task is cancelled.
  func first<Value: Sendable>(
    at place: WaitPlace,
    for words: @Sendable (State) -> String,
    _ take: @escaping @Sendable (State) -> Value?
  ) async -> Value? {
    if let value = await first({ take($0) }) { return value }
    place.tellCancelled(read(words))
    return nil
  }
}
