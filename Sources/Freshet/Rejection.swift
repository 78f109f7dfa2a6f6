public import FreshetEssentials

/// An error response: its head, its body, and its decoded model.
///
/// A body that cannot be decoded does not change the error: ``model`` is `nil` in that case, and
/// ``decodingFailure`` contains the reason.
public struct Rejection<Model: Sendable>: Sendable {
  /// Status, headers and URL.
  public let head: ResponseHead
  /// The body as it was received.
  public let body: Data
  /// The decoded model, or `nil` if the body could not be decoded.
  public let model: Model?
  /// The reason why there is no model; `nil` if there is one, or if none was requested.
  public let decodingFailure: DecodingFailure?
  /// The decisions that led to the response: retries, redirects, and those of the stores.
  public let explanation: Explanation

  /// The status code; a success if a predicate has found the error in the body.
  public var status: HTTPStatus { head.status }
  /// The header fields.
  public var headers: HTTPHeaders { head.headers }
}

extension Rejection: CustomStringConvertible {
  /// One sentence that shows neither headers nor body.
  public var description: String {
    let place = Redaction.shown(head.url)
    return "The service rejected the request for \(place) with status \(head.status)."
  }
}

extension Rejection: Equatable where Model: Equatable {}

extension Rejection {
  init(_ response: Response<Data>, _ decoding: Decoding<Model>) {
    let source = response.source
    var model: Model?
    var decodingFailure: DecodingFailure?
    // A model is decoded even in a cancelled task: the status is known by now and is the better error.
    do {
      model = try decoding.run(source).value
    } catch {
      decodingFailure =
        Model.self == NoErrorModel.self
        ? nil
        : error as? DecodingFailure
          ?? DecodingFailure(error, decoding: Model.self, from: source)
    }
    self.init(
      head: response.head,
      body: response.body,
      model: model,
      decodingFailure: decodingFailure,
      explanation: response.explanation
    )
  }
}
