/// An instant of the continuous clock.
///
/// The layout of `ContinuousClock.Instant` is only known at run time, and so would be that of each type
/// that contains one, which makes all operations on such types slower.
struct MonotonicInstant: Sendable {
  private static let origin = ContinuousClock.now

  private let elapsed: Duration

  /// Not inlined, for the same reason.
  static var now: Self {
    @inline(never) get { Self(elapsed: origin.duration(to: .now)) }
  }

  func advanced(by duration: Duration) -> Self { Self(elapsed: elapsed + duration) }
  func duration(to other: Self) -> Duration { other.elapsed - elapsed }
}
