extension RefreshResult {
  /// Reads what a refresh threw: a network or a server in trouble may recover, anything else is a
  /// refusal.
  init(_ error: any Error) {
    switch error as? FreshetError {
    case .cancelled?: self = .failed(.unauthenticated("the refresh was cancelled", url: ""))
    case let error?: self.init(error)
    case nil where error is CancellationError:
      self = .failed(.unauthenticated("the refresh was cancelled", url: ""))
    case nil:
      // The description of an error from elsewhere may hold secrets, its type does not.
      self = .refused("the refresh failed with \(type(of: error))")
    }
  }

  private init(_ error: FreshetError) {
    switch error {
    case .connection, .timedOut:
      self = .failed(error)
    case .status(let head, _)
    where head.status.isServerError || [408, 425, 429].contains(head.status):
      self = .failed(error)
    default:
      self = .refused("the refresh failed: \(error.description.dropLast())")
    }
  }

  /// What those get who wait.
  func outcome() -> Result<Void, FreshetError> {
    switch self {
    case .renewed: .success(())
    case .refused(let reason): .failure(.unauthenticated(reason, url: ""))
    case .failed(let error): .failure(error)
    }
  }
}
