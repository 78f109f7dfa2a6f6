public import FreshetEssentials

/// Bytes that are derived from a seed, in any number, without being held in memory.
///
/// A server can send them, and a test can check any part of the bytes that it received. They repeat
/// after 65,521 bytes, a prime, so that a misplaced block is detected unless it is misplaced by a
/// multiple of that.
///
/// ```swift
/// let film = GeneratedBytes(length: 300 << 20, seed: 1)
/// server.route("/film", .generated(film, type: "video/mp4"))
/// #expect(received.suffix(10) == film.bytes(in: film.length - 10..<film.length))
/// ```
public struct GeneratedBytes: Sendable {
  /// The number of bytes.
  public let length: Int64
  /// The seed from which they are derived.
  public let seed: UInt64

  private let block: [UInt8]

  /// Describes bytes.
  ///
  /// - Parameters:
  ///   - length: The number of bytes; not negative.
  ///   - seed: The seed from which they are derived; 0 by default.
  public init(length: Int64, seed: UInt64 = 0) {
    precondition(length >= 0, "a length is zero or more")
    self.length = length
    self.seed = seed
    var generator = SeededGenerator(seed: seed)
    block = (0..<Self.period).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }

  /// Returns a part of the bytes.
  ///
  /// - Parameter range: The positions of the bytes; clamped to `0..<length`.
  /// - Returns: The part, in memory.
  public func bytes(in range: Range<Int64>) -> Data {
    var bytes: [UInt8] = []
    append(range.clamped(to: 0..<length), to: &bytes)
    return Data(bytes)
  }

  static let period = 65_521

  func append(_ range: Range<Int64>, to bytes: inout [UInt8]) {
    var position = range.lowerBound
    while position < range.upperBound {
      let offset = Int(position % Int64(Self.period))
      let count = Int(min(Int64(Self.period - offset), range.upperBound - position))
      bytes.append(contentsOf: block[offset..<offset + count])
      position += Int64(count)
    }
  }
}
