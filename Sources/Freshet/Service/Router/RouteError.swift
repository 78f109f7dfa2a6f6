public import Foundation

/// Why a router did not make the value that was asked for.
public enum RouteError: PipelineFailure {
  /// No route is for the request and its response.
  case unmatched(method: HTTPMethod, url: String)
  /// Several routes of the same pattern are, and nothing can choose between them.
  case ambiguous(patterns: [String], url: String)
  /// The route's model is another type than was asked for.
  case mismatch(asked: String, found: String, pattern: String)
  /// The response is an error; its model is there if one was registered and could be decoded.
  case rejected(Rejection)
  /// The body is not the model of its route.
  case undecodable(Undecodable)
  /// What went wrong before there was a response.
  case failed(FreshetError)

  /// Wraps what went wrong before there was a response.
  public init(_ error: FreshetError) {
    self = .failed(error)
  }

  /// An error response.
  public struct Rejection: Sendable {
    /// The response with its whole body.
    public let response: Response<Data>
    /// The error model, or `nil` if none was registered or the body is not one.
    public let model: (any Sendable)?
    /// Why there is no model although one was registered.
    public let decodingFailure: DecodingFailure?

    /// The error model as a type, or `nil` if it is another one.
    public func model<Model>(as type: Model.Type) -> Model? { model as? Model }
  }

  /// A body that is not the model of its route.
  public struct Undecodable: Sendable {
    /// The route's pattern.
    public let pattern: String
    /// Which model, where and why.
    public let failure: DecodingFailure
    /// The response with its whole body.
    public let response: Response<Data>
  }
}

extension RouteError: CustomStringConvertible, LocalizedError {
  /// One sentence, without bodies, queries and credentials.
  public var description: String { Printable.line(sentence) }

  private var sentence: String {
    switch self {
    case .unmatched(let method, let url):
      "No route is for \(method) \(url)."
    case .ambiguous(let patterns, let url):
      "Several routes are for \(url), and nothing can choose between them: "
        + patterns.map { "“\($0)”" }.joined(separator: ", ") + "."
    case .mismatch(let asked, let found, let pattern):
      "A \(asked) was asked for, and the route “\(pattern)” makes a \(found)."
    case .rejected(let rejection):
      FreshetError.status(rejection.response.head, body: Data()).description
    case .undecodable(let failure):
      "The body is not the \(failure.failure.target) of the route “\(failure.pattern)”: "
        + "\(failure.failure)."
    case .failed(let error):
      error.description
    }
  }

  /// The same sentence as ``description``.
  public var errorDescription: String? { description }
}

extension RouteError {
  /// What a decoding has thrown.
  init(_ error: FreshetError, pattern: String, response: Response<Data>) {
    if let failure = error.decodingFailure {
      let undecodable = Undecodable(pattern: pattern, failure: failure, response: response)
      self = .undecodable(undecodable)
    } else {
      self = .failed(error)
    }
  }
}

extension FreshetError {
  /// What is wrong with the body, if that is it.
  var decodingFailure: DecodingFailure? {
    if case .decoding(let failure, _, _) = self { failure } else { nil }
  }
}
