import Freshet

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Prints the name of each step that passes; the tour's own operator.
  func tracing(_ place: String) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    map { step in
      switch step {
      case .progress: break
      default: TourStep.note("\(place): \(step.kind.words)")
      }
      return step
    }
  }
}
