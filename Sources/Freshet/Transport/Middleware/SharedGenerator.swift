import Synchronization

/// A random number generator that several calls draw from.
final class SharedGenerator: Sendable {
  private let generator: Mutex<any RandomNumberGenerator & Sendable>

  init(_ generator: any RandomNumberGenerator & Sendable) {
    self.generator = Mutex(generator)
  }

  /// A number of 0 up to but not including 1.
  func fraction() -> Double {
    // The upper 53 bits are as many as a Double holds between 0 and 1.
    Double(bits() >> 11) * 0x1p-53
  }

  func bits() -> UInt64 {
    generator.withLock { $0.next() }
  }
}
