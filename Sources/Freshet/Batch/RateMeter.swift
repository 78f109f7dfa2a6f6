/// The rate of a growing number, over the last few seconds.
///
/// A pure value; time is an argument. It keeps about fifty samples.
struct RateMeter {
  private struct Sample {
    let time: Duration
    let amount: Double
  }

  private let window: Duration
  /// The time between samples; computed once, because dividing a duration is slow.
  private let interval: Duration
  private var samples: ArraySlice<Sample> = []
  private var newest = Sample(time: .zero, amount: 0)

  /// Makes a meter for a window of time.
  init(window: Duration = .seconds(5)) {
    self.window = window
    interval = window / 50
  }

  mutating func record(_ amount: Double, at time: Duration) {
    if amount != newest.amount || samples.isEmpty { newest = Sample(time: time, amount: amount) }
    if let last = samples.last, time - last.time < interval { return }
    samples.append(Sample(time: time, amount: amount))
    // The newest sample that is older than the window is its beginning.
    while samples.count > 1, samples[samples.startIndex + 1].time <= time - window {
      samples.removeFirst()
    }
  }

  /// Returns the growth per second; 0 before a fiftieth of the window has passed, and when nothing
  /// has grown for the length of the window.
  func rate(at now: Duration) -> Double {
    let begin = now - window
    guard newest.time > begin, var base = samples.first else { return 0 }
    // Recording leaves one sample that is older than the window, nearly always the first.
    for sample in samples.dropFirst() {
      guard sample.time <= begin else { break }
      base = sample
    }
    let elapsed = min(now - base.time, window)
    guard elapsed >= interval else { return 0 }
    return (newest.amount - base.amount) / (elapsed / .seconds(1))
  }
}
