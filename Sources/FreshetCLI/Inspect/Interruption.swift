import Dispatch
import Foundation
import Synchronization

/// The end of the program at the wish of its user or the system.
final class Interruption {
  /// The end of a pipe that the signals' handler writes to.
  private static let signalled = Atomic<Int32>(-1)

  private let signals: AsyncStream<Void>
  private let pipe = Pipe()
  private let source: any DispatchSourceRead

  /// Takes SIGINT and SIGTERM from now on; they end the process no longer.
  init() {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
    self.signals = signals
    source = DispatchSource.makeReadSource(
      fileDescriptor: pipe.fileHandleForReading.fileDescriptor,
      queue: .global()
    )
    source.setEventHandler { continuation.finish() }
    source.activate()
    // A source of signals is installed a moment later, and would lose those that come before.
    Self.signalled.store(pipe.fileHandleForWriting.fileDescriptor, ordering: .relaxed)
    for number in [SIGINT, SIGTERM] {
      signal(number) { _ in
        var byte: UInt8 = 0
        _ = write(Interruption.signalled.load(ordering: .relaxed), &byte, 1)
      }
    }
  }

  /// Waits for one of the signals, including one that came before; another one ends the process.
  func wait() async {
    for await _ in signals {}
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    source.cancel()
  }
}
