import Foundation
import Freshet
import Synchronization

/// Tells what goes over the network, line by line.
final class Trace: Sendable {
  private let lines = Mutex(TraceLines())
  private let tell: @Sendable (String) -> Void

  init(_ tell: @escaping @Sendable (String) -> Void) {
    self.tell = tell
  }

  func take(_ kind: TraceLines.Kind, _ bytes: some Collection<UInt8>) {
    // Under the lock, so that the lines of a piece stay together.
    lines.withLock { $0.lines(kind, bytes).forEach(tell) }
  }
}
