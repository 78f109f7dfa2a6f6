public import Freshet
public import FreshetEssentials

/// The reason why a change was not confirmed, as the queue stores it.
public struct ChangeFailure: Error, Sendable, Hashable {
  /// The reason in one sentence, without headers and body.
  public var reason: String
  /// The status of the error response; `nil` if there was none.
  public var status: HTTPStatus?
  /// The body of the error response, of which at most 64 KiB are stored.
  public var body: Data

  static let bodyLimit = 64 << 10
  /// The failure of a change that names a model whose creation is not going to be confirmed.
  static let dependency = ChangeFailure(
    reason: "A change that it depends on was refused or removed."
  )

  init(reason: String, status: HTTPStatus? = nil, body: Data = Data()) {
    self.reason = reason
    self.status = status
    self.body = body.prefix(Self.bodyLimit)
  }

  init<Model: Sendable>(_ error: CallError<Model>) {
    let response = error.response
    let body = response?.value ?? Data()
    self.init(reason: error.description, status: response?.head.status, body: body)
  }

  /// Returns the error model of the response.
  ///
  /// - Parameter type: The type of the model, such as that of the endpoint's `Failure`.
  /// - Returns: The model; `nil` if the body is no JSON of it.
  public func model<Model: Decodable>(as type: Model.Type = Model.self) -> Model? {
    try? JSONDecoder().decode(type, from: body)
  }
}

extension ChangeFailure: CustomStringConvertible {
  /// The reason.
  public var description: String { reason }
}
