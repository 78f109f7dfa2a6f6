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

#if !canImport(Darwin)
extension TraceLines.Kind {
  init(_ kind: CurlTrace) {
    switch kind {
    case .text: self = .text
    case .requestHead: self = .requestHead
    case .responseHead: self = .responseHead
    case .sentData: self = .sentData
    case .receivedData: self = .receivedData
    }
  }
}
#endif
