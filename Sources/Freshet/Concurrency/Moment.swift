/// A moment of the continuous clock.
///
/// The layout of `ContinuousClock.Instant` is only known when a program runs, and so would be that of
/// each type that holds one, which makes all that is done with it dearer.
struct Moment: Sendable {
  private static let origin = ContinuousClock.now

  private let elapsed: Duration

  /// It is a call of its own, for the same reason.
  static var now: Self {
    @inline(never) get { Self(elapsed: origin.duration(to: .now)) }
  }

  func advanced(by duration: Duration) -> Self { Self(elapsed: elapsed + duration) }
  func duration(to other: Self) -> Duration { other.elapsed - elapsed }
}
