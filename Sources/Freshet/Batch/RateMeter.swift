/// The rate of a growing number, over the last few seconds.
///
/// A pure value; time is an argument. It keeps about fifty samples.
struct RateMeter {
  private struct Sample {
    let time: Duration
    let amount: Double
  }

  private static let window = Duration.seconds(5)
  /// The time between samples.
  private static let interval = Duration.milliseconds(100)
  private var samples: ArraySlice<Sample> = []
  private var newest = Sample(time: .zero, amount: 0)

  mutating func record(_ amount: Double, at time: Duration) {
    if amount != newest.amount || samples.isEmpty { newest = Sample(time: time, amount: amount) }
    if let last = samples.last, time - last.time < Self.interval { return }
    samples.append(Sample(time: time, amount: amount))
    // The newest sample that is older than the window is its beginning.
    while samples.count > 1, samples[samples.startIndex + 1].time <= time - Self.window {
      samples.removeFirst()
    }
  }

  /// Returns the growth per second; 0 before a fiftieth of the window has passed, and when nothing
  /// has grown for the length of the window.
  func rate(at now: Duration) -> Double {
    let begin = now - Self.window
    guard newest.time > begin, var base = samples.first else { return 0 }
    // Recording leaves one sample that is older than the window, nearly always the first.
    for sample in samples.dropFirst() {
      guard sample.time <= begin else { break }
      base = sample
    }
    let elapsed = min(now - base.time, Self.window)
    guard elapsed >= Self.interval else { return 0 }
    return (newest.amount - base.amount) / (elapsed / .seconds(1))
  }
}
