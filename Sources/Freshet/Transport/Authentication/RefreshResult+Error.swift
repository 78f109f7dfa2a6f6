import FreshetEssentials

extension RefreshResult {
  /// Classifies the error of a refresh: problems of the network or the server may be temporary,
  /// anything else is a refusal.
  init(_ error: any Error) {
    switch error as? FreshetError ?? (error as? any FreshetErrorWrapping)?.wrapped {
    case .cancelled?: self = .failed(.unauthenticated("the refresh was cancelled", url: ""))
    case let error?: self.init(error)
    case nil where error is CancellationError:
      self = .failed(.unauthenticated("the refresh was cancelled", url: ""))
    case nil:
      // The description of a foreign error may contain secrets; its type does not.
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
    case .unauthenticated(let reason, _):
      self = .refused(reason)
    default:
      self = .refused("the refresh failed: \(error.description.dropLast())")
    }
  }

  /// Returns the result for the waiting requests.
  func outcome() -> Result<Void, FreshetError> {
    switch self {
    case .renewed: .success(())
    case .declined: .failure(.unauthenticated("no credential was given", url: ""))
    case .refused(let reason): .failure(.unauthenticated(reason, url: ""))
    case .failed(let error): .failure(error)
    }
  }
}

/// A failure of a call that has a type of its own.
private protocol FreshetErrorWrapping: Error {
  /// The failure without its model.
  var wrapped: FreshetError? { get }
}

extension CallError: FreshetErrorWrapping {
  fileprivate var wrapped: FreshetError? {
    switch self {
    case .rejected(let rejection): .status(rejection.head, body: Data())
    case .failed(let error): error
    }
  }
}

extension RouteError: FreshetErrorWrapping {
  fileprivate var wrapped: FreshetError? {
    switch self {
    case .rejected(let rejection): .status(rejection.response.head, body: Data())
    case .failed(let error): error
    case .unmatched, .ambiguous, .mismatch, .undecodable: nil
    }
  }
}
