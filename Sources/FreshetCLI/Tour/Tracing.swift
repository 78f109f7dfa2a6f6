import Freshet

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Prints the name of each step that passes; the tour's own operator.
  func tracing(_ place: String) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    map { step in
      switch step {
      case .progress: break
      default: TourPrinter.note("\(place): \(step.name)")
      }
      return step
    }
  }
}

extension Fetch {
  /// The step's name, such as `wanted`.
  fileprivate var name: String {
    switch self {
    case .wanted: "wanted"
    case .found: "found"
    case .expired: "expired"
    case .progress: "progress"
    case .downloaded: "downloaded"
    case .resource: "resource"
    }
  }
}
