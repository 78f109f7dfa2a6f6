public import FreshetEssentials

/// The reason why a service call ended without a value: an error response, or no valid response.
///
/// ```swift
/// do {
///   show(try await client.call(ShowUser(id: 7)).value)
/// } catch {
///   switch error {
///   case .rejected(let rejection): print(rejection.status, rejection.model?.message ?? "")
///   case .failed(let error): print(error)
///   }
/// }
/// ```
public enum CallError<Model: Sendable>: PipelineFailure {
  /// The service sent an error response.
  case rejected(Rejection<Model>)
  /// Any other failure: no connection, a body that could not be decoded, cancellation.
  case failed(FreshetError)

  /// Wraps a failure of the call.
  public init(_ error: FreshetError) {
    self = .failed(error)
  }
}

extension CallError {
  /// The error response's model, if this is a rejection that has one.
  public var model: Model? {
    if case .rejected(let rejection) = self { rejection.model } else { nil }
  }

  /// The head of the response, if there was one.
  public var head: ResponseHead? {
    switch self {
    case .rejected(let rejection): rejection.head
    case .failed(let error): error.head
    }
  }
}

extension CallError: CustomStringConvertible {
  /// One sentence that shows neither headers nor the error response's body.
  public var description: String {
    switch self {
    case .rejected(let rejection): rejection.description
    case .failed(let error): error.description
    }
  }
}

extension CallError: LocalizedError {
  /// The text of ``description``.
  public var errorDescription: String? { description }
}

extension CallError: Equatable where Model: Equatable {}
