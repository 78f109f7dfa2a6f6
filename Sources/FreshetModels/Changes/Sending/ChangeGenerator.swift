import FreshetEssentials
import Synchronization

/// The randomness of a queue: keys and jitter.
final class ChangeGenerator: Sendable {
  private let generator: Mutex<any RandomNumberGenerator & Sendable>

  init(_ generator: any RandomNumberGenerator & Sendable) {
    self.generator = Mutex(generator)
  }

  /// Returns a random number in 0..<1.
  func fraction() -> Double { Double(bits() >> 11) * 0x1p-53 }

  /// Returns a random UUID (RFC 9562 section 5.4).
  func uuid() -> UUID {
    var bytes = withUnsafeBytes(of: (bits(), bits())) { Array($0) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  private func bits() -> UInt64 { generator.withLock { $0.next() } }
}
