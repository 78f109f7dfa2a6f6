/// Reads the rest of a response that nobody will see, so that its connection can be used again.
///
/// It gives up when the rest is long or stalls, and drops the connection then: what follows the
/// response must not wait for it.
struct Drain {
  /// The largest rest that is read, in bytes.
  static let limit = 64 * 1024
  /// How long it may take; a time of the wire, which is not measured by a call's clock.
  static let patience: Duration = .milliseconds(250)

  let exchange: any Exchange

  /// Reads, and leaves the exchange ended.
  ///
  /// - Throws: ``FreshetError/cancelled``, and what says that the call has no time left. Any other
  ///   failure is none here: the response has said what was needed from it.
  func run() async throws(FreshetError) {
    let outcome = Settlement<Void>()
    let reading = Task { outcome.settle(await read()) }
    // The exchange is ended by who reads it, for nobody may end it during a step.
    defer { reading.cancel() }
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
