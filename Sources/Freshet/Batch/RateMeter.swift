/// How fast a growing number grows, over the last few seconds.
///
/// A pure value; time is an argument. It keeps about fifty samples.
struct RateMeter {
  private struct Sample {
    let time: Duration
    let amount: Double
  }

  private let window: Duration
  /// How far apart samples are: computed once, for dividing a duration is slow.
  private let interval: Duration
  private var samples: ArraySlice<Sample> = []
  private var newest = Sample(time: .zero, amount: 0)

  /// Looks back for so long.
  init(window: Duration = .seconds(5)) {
    self.window = window
    interval = window / 50
  }

  mutating func record(_ amount: Double, at time: Duration) {
    if amount != newest.amount || samples.isEmpty { newest = Sample(time: time, amount: amount) }
    if let last = samples.last, time - last.time < interval { return }
    samples.append(Sample(time: time, amount: amount))
    // The newest of those that are older than the window is where the window begins.
    while samples.count > 1, samples[samples.startIndex + 1].time <= time - window {
      samples.removeFirst()
    }
  }

  /// The growth per second; 0 before a fiftieth of the window is over, and when nothing has grown
  /// for as long as the window.
  func rate(at now: Duration) -> Double {
    let begin = now - window
    guard newest.time > begin, var base = samples.first else { return 0 }
    // What is recorded leaves one sample that is older than the window: the first is nearly always it.
    for sample in samples.dropFirst() {
      guard sample.time <= begin else { break }
      base = sample
    }
    let elapsed = min(now - base.time, window)
    guard elapsed >= interval else { return 0 }
    return (newest.amount - base.amount) / (elapsed / .seconds(1))
  }
}
