package import Foundation
import Synchronization

/// The beginning of a body that has not arrived whole, for who can make something of it.
///
/// It is a copy in memory beside where the body goes, up to a limit; it is made only for fetches whose
/// policy asks for it.
package final class ArrivingBody: Sendable {
  private let bytes = Mutex(Data())
  private let limit: Int

  init(limit: Int = 16 << 20) {
    self.limit = limit
  }

  /// What has arrived so far.
  package var beginning: Data { bytes.withLock(\.self) }

  /// Takes the next piece; what does not fit into the limit is left out, with all that follows.
  func append(_ chunk: Data) {
    bytes.withLock { bytes in
      if bytes.count + chunk.count <= limit { bytes.append(chunk) }
    }
  }
}
