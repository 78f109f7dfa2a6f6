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
    let reason: String
    if let essence = MediaType.essence(in: headers) {
      guard !types.contains(essence) else { return }
      reason = "its Content-Type is \(essence), and not \(types)"
    } else {
      guard types.requiresType else { return }
      reason = "it has no Content-Type, and \(types) is required"
    }
    throw decodingFailure(of: target, reason)
  }
}
