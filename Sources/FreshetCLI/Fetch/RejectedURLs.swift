import Freshet
import Synchronization

/// What was given as a URL and is none: told of at once, counted, and never part of the batch.
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

  /// Why it was not possible to tell of one.
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
