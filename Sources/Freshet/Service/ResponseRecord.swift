import Foundation

/// What a response remembers of its way through the pipeline.
struct ResponseRecord: Sendable {
  /// The whole body, where the value is not it.
  var body: Data?
  /// Where in the body the value stands.
  var path = PayloadPath()
  /// Why the value stands for nothing, if it does.
  var absence: Absence?
  /// What the response knows of its call.
  var call: CallRecord?
  /// The envelope that the value came in.
  var envelope: (any Sendable)?
  /// What a lenient decoding has left out.
  var skipped: [DecodingFailure] = []
  /// Whether a stage has decided that this is no error response, whatever its status.
  var isAccepted = false

  /// How a payload can be absent.
  enum Absence: String {
    case missing = "it is missing"
    case null = "it is null"
    case empty = "the body is empty"
  }
}

extension Response {
  /// The same response, which no later stage takes for an error because of its status.
  var accepted: Response {
    var response = self
    response.record.isAccepted = true
    return response
  }

  /// Refuses an error response that no earlier stage has accepted.
  func requireAccepted() throws(FreshetError) {
    guard record.isAccepted || status.isSuccess else {
      throw .status(head, body: body)
    }
  }
}
