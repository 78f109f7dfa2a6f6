/// Plays the frames of a picture for a view, until another one is played or the player is released.
///
/// Once another picture is played, or the player is stopped, no frame of the earlier one is drawn.
@MainActor
final class FramePlayer {
  private var playing: Task<Void, Never>?
  /// A Boolean value that indicates whether an animation was begun, and not stopped since.
  var isPlaying: Bool { playing != nil }

  /// Draws a picture immediately, and its further frames at their times.
  ///
  /// - Parameters:
  ///   - picture: The picture to play instead of the current one.
  ///   - clock: The clock that measures durations; the system's by default.
  ///   - draw: A closure that draws one frame; it must not retain the view.
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
        // The frame may be due just before another picture is played.
        if Task.isCancelled { return }
        draw(bitmap)
      }
    }
  }

  func stop() {
    playing?.cancel()
    playing = nil
  }

  deinit {
    playing?.cancel()
  }
}
