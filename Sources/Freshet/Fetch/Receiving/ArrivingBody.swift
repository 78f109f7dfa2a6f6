package import FreshetEssentials
import Synchronization

/// The first bytes of a body that is still arriving, for progressive display.
///
/// This is a copy in memory, up to a limit, in addition to the body itself. It is only made for fetches
/// whose policy requests it.
package final class ArrivingBody: Sendable {
  private let bytes: Mutex<Data>
  private let limit: Int

  /// The usual limit, in bytes.
  static let limit = 16 << 20

  /// Makes a copy that begins with bytes of an earlier fetch, at most as many as the limit.
  init(_ beginning: Data = Data(), limit: Int = ArrivingBody.limit) {
    bytes = Mutex(beginning)
    self.limit = limit
  }

  /// The bytes that have arrived so far.
  package var beginning: Data { bytes.withLock(\.self) }

  /// Appends a chunk, as far as the limit has room for it.
  func append(_ chunk: Data) {
    bytes.withLock { $0.append(chunk.prefix(limit - $0.count)) }
  }
}
