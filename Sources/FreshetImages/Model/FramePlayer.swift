/// Plays the frames of a picture for a shell, until it plays another one or the shell has gone.
///
/// Nothing of a former picture is drawn once another one is played, or once it has stopped.
@MainActor
final class FramePlayer {
  private var playing: Task<Void, Never>?

  /// Draws a picture at once, and its other frames at their time.
  ///
  /// - Parameters:
  ///   - picture: What to play, in the place of what was played.
  ///   - clock: What durations are waited on; the system's by default.
  ///   - draw: Puts one frame on the screen; it must not keep the shell.
  func play(
    _ picture: Picture,
    clock: any Clock<Duration> = ContinuousClock(),
    draw: @escaping @MainActor (Bitmap) -> Void
  ) {
    stop()
    draw(picture.bitmap)
    guard picture.isAnimated else { return }
    playing = Task {
      for await bitmap in FrameSequence(picture, clock: clock) {
        // Its time may have come just before another picture took its place.
        if Task.isCancelled { return }
        draw(bitmap)
      }
    }
  }

  func stop() {
    playing?.cancel()
  }

  deinit {
    playing?.cancel()
  }
}
