import FreshetEssentials

extension Response<Data> {
  /// Refuses a body whose media type is not one of the given types.
  ///
  /// Error responses pass, because their status is more significant than their type.
  ///
  /// - Parameters:
  ///   - types: The accepted types.
  ///   - target: The type that the body should be decoded to, for the error.
  /// - Throws: ``FreshetError/decoding(_:head:body:)``.
  func requireContentType(_ types: ContentTypes, of target: String) throws(FreshetError) {
    guard types != .any, !body.isEmpty, record.isAccepted || status.isSuccess else { return }
    guard let reason = types.refusal(of: headers) else { return }
    throw decodingFailure(of: target, reason)
  }
}

extension ContentTypes {
  /// Refuses a successful response of another media type, before its body arrives.
  ///
  /// - Parameters:
  ///   - head: The head of the response.
  ///   - length: The length of the body, if it is known; an empty one is accepted.
  /// - Throws: ``FreshetError/decoding(_:head:body:)``.
  func refuseOthers(_ head: ResponseHead, length: Int64?) throws(FreshetError) {
    guard self != .any, length != 0, head.status != 204, let reason = refusal(of: head.headers)
    else { return }
    let failure = DecodingFailure(target: "\(self)", keyPath: "", reason: reason, excerpt: "")
    throw .decoding(failure, head: head, body: Data())
  }

  /// Returns the reason why a body with these header fields is refused, or `nil`.
  func refusal(of headers: HTTPHeaders) -> String? {
    guard let essence = MediaType.essence(in: headers) else {
      return requiresType ? "it has no Content-Type, and \(self) is required" : nil
    }
    return contains(essence) ? nil : "its Content-Type is \(essence), and not \(self)"
  }
}
