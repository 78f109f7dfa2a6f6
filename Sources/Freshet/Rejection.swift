public import Foundation

/// An error response: its head, its body, and the model that the body became.
///
/// A body that cannot be decoded makes it no other error: then ``model`` is `nil`, and
/// ``decodingFailure`` says why.
public struct Rejection<Model: Sendable>: Sendable {
  /// Status, headers and URL.
  public let head: ResponseHead
  /// The body as it was received.
  public let body: Data
  /// What the body became, or `nil` if it could not be decoded.
  public let model: Model?
  /// Why there is no model; `nil` if there is one, or if none was asked for.
  public let decodingFailure: DecodingFailure?
  /// What led to the response: retries, redirects, and what the stores said if they were asked.
  public let explanation: Explanation

  /// The status code; one that says success where a predicate found the error in the body.
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
    let source = DecodingSource(head: response.head, data: response.value)
    var model: Model?
    var decodingFailure: DecodingFailure?
    // A model is tried even in a cancelled task: the status is known by now and is the better error.
    do {
      model = try decoding.run(source).value
    } catch {
      decodingFailure =
        Model.self == NoErrorModel.self
        ? nil
        : error as? DecodingFailure
          ?? DecodingFailure(error, decoding: Model.self, from: source.data, at: source.path)
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
