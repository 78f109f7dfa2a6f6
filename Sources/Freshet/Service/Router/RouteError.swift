public import FreshetEssentials

/// The reason why a router could not make the requested value.
public enum RouteError: PipelineFailure {
  /// No route matches the request and its response.
  case unmatched(method: HTTPMethod, url: String)
  /// Several routes of the same pattern match, and none has precedence.
  case ambiguous(patterns: [String], url: String)
  /// The route's model has another type than the requested one.
  case mismatch(asked: String, found: String, pattern: String)
  /// The response is an error; its model is included if one was registered and could be decoded.
  case rejected(Rejection)
  /// The body is not the model of its route.
  case undecodable(Undecodable)
  /// A failure before there was a response.
  case failed(FreshetError)

  /// Wraps a failure before there was a response.
  public init(_ error: FreshetError) {
    self = .failed(error)
  }

  /// An error response.
  public struct Rejection: Sendable {
    /// The response with its whole body.
    public let response: Response<Data>
    /// The error model, or `nil` if none was registered or the body is not one.
    public let model: (any Sendable)?
    /// The reason why there is no model although one was registered.
    public let decodingFailure: DecodingFailure?

    /// Returns the error model as a type, or `nil` if it has another one.
    public func model<Model>(as type: Model.Type) -> Model? { model as? Model }
  }

  /// A body that is not the model of its route.
  public struct Undecodable: Sendable {
    /// The route's pattern.
    public let pattern: String
    /// The type of the model, and the place and the reason of the failure.
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
      "No route matches \(method) \(url)."
    case .ambiguous(let patterns, let url):
      "Several routes match \(url), and none takes precedence: "
        + patterns.map { "“\($0)”" }.joined(separator: ", ") + "."
    case .mismatch(let asked, let found, let pattern):
      "A \(asked) was requested, but the route “\(pattern)” returns a \(found)."
    case .rejected(let rejection):
      FreshetError.status(rejection.response.head, body: Data()).description
    case .undecodable(let failure):
      "The body cannot be decoded as the \(failure.failure.target) of the route “\(failure.pattern)”: "
        + "\(failure.failure)."
    case .failed(let error):
      error.description
    }
  }

  /// The text of ``description``.
  public var errorDescription: String? { description }
}

extension RouteError {
  /// Wraps an error of a decoding.
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
  /// The failure to decode the body, or `nil` for any other error.
  var decodingFailure: DecodingFailure? {
    if case .decoding(let failure, _, _) = self { failure } else { nil }
  }
}
