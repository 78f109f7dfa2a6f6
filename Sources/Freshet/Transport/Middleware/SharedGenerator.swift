package import FreshetEssentials
import Synchronization

/// A random number generator that several calls share.
package final class SharedGenerator: RandomNumberGenerator, Sendable {
  private let generator: Mutex<any RandomNumberGenerator & Sendable>

  package init(_ generator: any RandomNumberGenerator & Sendable) {
    self.generator = Mutex(generator)
  }

  /// Returns a random number in 0..<1.
  package func fraction() -> Double {
    // A `Double` between 0 and 1 has 53 significant bits.
    Double(next() >> 11) * 0x1p-53
  }

  /// Returns a random UUID (RFC 9562 section 5.4).
  package func uuid() -> UUID {
    var bytes = withUnsafeBytes(of: (next(), next())) { Array($0) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  package func next() -> UInt64 {
    generator.withLock { $0.next() }
  }
}
