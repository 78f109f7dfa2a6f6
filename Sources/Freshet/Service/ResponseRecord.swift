import FreshetEssentials

/// The information that a response carries through the pipeline.
struct ResponseRecord: Sendable {
  /// The whole body, if it differs from the value.
  var body: Data?
  /// The path of the value in the body.
  var path = PayloadPath()
  /// The reason why there is no value, or `nil`.
  var absence: Absence?
  /// The information about the call.
  var call: CallRecord?
  /// The envelope that contained the value.
  var envelope: (any Sendable)?
  /// The elements that a lenient decoding has left out.
  var skipped: [DecodingFailure] = []
  /// A Boolean value that indicates whether a stage has accepted the response, whatever its status.
  var isAccepted = false
  /// A Boolean value that indicates whether the response is one of several pages.
  var isPage = false

  /// The ways in which a payload can be absent.
  enum Absence: String {
    case missing = "it is missing"
    case null = "it is null"
    case empty = "the body is empty"
  }
}

extension Response {
  /// A Boolean value that indicates whether it is all that its call brings; `false` too if that cannot be told.
  package var isComplete: Bool { record.call != nil && !record.isPage }

  /// A Boolean value that indicates whether it is neither a stale copy nor one that replaces a failed response.
  package var standsForItself: Bool {
    guard let resource else { return true }
    return resource.isFinal && resource.replacedFailure == nil
  }

  /// The response, marked so that no later stage treats it as an error because of its status.
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
