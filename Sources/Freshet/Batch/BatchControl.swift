/// Pauses and resumes runs.
///
/// While it is paused, a run starts no new items; running ones continue to their end. One control
/// can be used for several runs.
///
/// ```swift
/// let control = BatchControl()
/// let running = client.batch(urls).run(control: control).start()
/// control.pause()
/// ```
public final class BatchControl: Sendable {
  /// A Boolean value that indicates whether runs are paused, which they observe.
  let paused = ObservedValue(false)

  /// Makes a control that is not paused.
  public init() {}

  /// A Boolean value that indicates whether runs are paused.
  public var isPaused: Bool { paused.value }

  /// Pauses runs, so that they start no new items.
  public func pause() {
    paused.change(to: true)
  }

  /// Resumes runs.
  public func resume() {
    paused.change(to: false)
  }
}
