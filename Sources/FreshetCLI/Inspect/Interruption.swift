import Dispatch
import Foundation

/// The end of the program at the wish of its user or the system.
final class Interruption {
  private let signals: AsyncStream<Void>
  private let sources: [any DispatchSourceSignal]

  /// Takes SIGINT and SIGTERM from now on; they end the process no longer.
  init() {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
    self.signals = signals
    sources = [SIGINT, SIGTERM]
      .map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { continuation.finish() }
        source.activate()
        return source
      }
  }

  /// Waits for one of the signals, including one that came before.
  func wait() async {
    for await _ in signals {}
    for source in sources { source.cancel() }
  }
}
