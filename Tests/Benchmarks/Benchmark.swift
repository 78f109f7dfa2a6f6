/// One case: the same work, done by Freshet and by each baseline.
struct Benchmark: Sendable {
  /// What its figures count.
  enum Unit: String, Sendable {
    /// Operations a second; more is better.
    case rate = "/s"
    /// Nanoseconds an operation; less is better.
    case cost = "ns"
    /// Mebibytes a second; an operation is a mebibyte.
    case throughput = "MiB/s"

    func value(seconds: Double, count: Int) -> Double {
      self == .cost ? seconds * 1e9 / Double(count) : Double(count) / seconds
    }
  }

  let name: String
  let unit: Unit
  /// How many operations a round has.
  let count: Int
  /// Whether twice the work is measured as well.
  var doubles = true
  /// Makes what the contenders share, and them; the first is Freshet.
  ///
  /// None at all where the server that is there cannot do what the case needs.
  let contenders: @Sendable (World, Int) async throws -> [Contender]
}

/// One way to do the work of a case.
struct Contender: Sendable {
  let name: String
  /// How much of the count it does, for those that would take too long.
  var share = 1.0
  /// Does the work so many times; it may restart the meter behind its preparations.
  let run: @Sendable (Int, Meter) async throws -> Void
}
