import Freshet
import Synchronization

/// The texts that are not URLs: reported immediately, counted, and never part of the batch.
final class RejectedURLs: Sendable {
  private struct State {
    var count = 0
    var failure: FreshetError?
  }

  private let reporter: any FetchReporter
  private let state = Mutex(State())

  init(_ reporter: any FetchReporter) {
    self.reporter = reporter
  }

  var count: Int { state.withLock(\.count) }

  /// The reason why one could not be reported.
  var failure: FreshetError? { state.withLock(\.failure) }

  func add(_ text: String, _ error: FreshetError) {
    var failure: FreshetError?
    do throws(FreshetError) {
      try reporter.rejected(text, error)
    } catch {
      failure = error
    }
    state.withLock { state in
      state.count += 1
      state.failure = state.failure ?? failure
    }
  }
}
