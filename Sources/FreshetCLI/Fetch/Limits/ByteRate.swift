/// When bytes may pass so that they come at a rate: a pure value.
struct ByteRate: Sendable {
  let bytesPerSecond: Double
  /// When what has been let pass will be through; moments count from any one start.
  private var free = Duration.zero

  init(_ bytesPerSecond: Double) {
    self.bytesPerSecond = bytesPerSecond
  }

  /// The largest piece that passes at once: a tenth of a second's.
  var piece: Int { Int(min(max(bytesPerSecond / 10, 1), 16_384)) }

  /// Returns when so many bytes may pass.
  mutating func pass(_ count: Int, at now: Duration) -> Duration {
    free = max(free, now) + .seconds(Double(count) / bytesPerSecond)
    return free
  }

  /// A rate as cURL writes it: bytes a second, or with a letter such as `K`, `M` or `G` behind them,
  /// which are powers of 1024; `nil` for 0, which is no limit.
  init?(text: String) throws(UsageError) {
    let units: [Character: Double] = [
      "b": 1, "k": 1_024, "m": 1_048_576, "g": 1_073_741_824, "t": 1_099_511_627_776,
    ]
    var digits = text[...]
    var factor = 1.0
    if let last = text.last, let unit = units[Character(last.lowercased())] {
      factor = unit
      digits = digits.dropLast()
    }
    let number = Double(digits) ?? -1
    guard number != 0 else { return nil }
    guard number.isFinite, number * factor >= 1 else {
      throw UsageError("--limit-rate takes bytes a second, such as 500, 200K or 1.5M")
    }
    self.init(min(number * factor, 1e15))
  }
}
