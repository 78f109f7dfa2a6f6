import Synchronization

/// A random number generator that several calls share.
final class SharedGenerator: RandomNumberGenerator, Sendable {
  private let generator: Mutex<any RandomNumberGenerator & Sendable>

  init(_ generator: any RandomNumberGenerator & Sendable) {
    self.generator = Mutex(generator)
  }

  /// Returns a random number in 0..<1.
  func fraction() -> Double {
    // A `Double` between 0 and 1 has 53 significant bits.
    Double(next() >> 11) * 0x1p-53
  }

  func next() -> UInt64 {
    generator.withLock { $0.next() }
  }
}
