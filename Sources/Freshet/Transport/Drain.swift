/// Reads and discards the rest of a response, so that its connection can be used again.
///
/// If the rest is long or stalls, it closes the connection instead, so that the next request does not wait.
struct Drain {
  /// The largest rest that is read, in bytes: 64 KiB.
  static let limit = 64 * 1024
  /// The time limit: 250 milliseconds of real time, not of a call's clock.
  static let patience: Duration = .milliseconds(250)

  let exchange: any Exchange

  /// Reads the rest, and ends the exchange.
  ///
  /// - Throws: ``FreshetError/cancelled``, or a timeout of the whole call. Other failures are ignored:
  ///   the response has already been used.
  func run() async throws(FreshetError) {
    let (begun, outcome) = (Promise<Void>(), Promise<Void>())
    let reading = Task {
      begun.settle(.success(()))
      outcome.settle(await read())
    }
    // The reading task ends the exchange, which must not happen during a step.
    defer { reading.cancel() }
    // A busy thread pool, which lets the reading task wait for its turn, is not the server's fault.
    try await begun.value()
    do throws(FreshetError) {
      try await outcome.value(
        before: Self.patience,
        by: CallClock(ContinuousClock()),
        orThrow: .timedOut(.idle, url: "")
      )
    } catch .timedOut(.idle, _) {
      return
    }
  }

  private func read() async -> Result<Void, FreshetError> {
    var remaining = Self.limit
    do throws(FreshetError) {
      while remaining >= 0 {
        switch try await exchange.next() {
        case .body(let bytes): remaining -= bytes.count
        case .finished, nil: return .success(())
        default: break
        }
      }
      exchange.cancel()
      return .success(())
    } catch {
      exchange.cancel()
      switch error {
      case .cancelled, .timedOut(.total, _): return .failure(error)
      default: return .success(())
      }
    }
  }
}
