import Foundation

extension Response<Data> {
  /// Refuses a body of which the server says that it is something else.
  ///
  /// Error responses pass: their status says more than their type.
  ///
  /// - Parameters:
  ///   - types: The types that it may have.
  ///   - target: The value that the body should become, for the error.
  /// - Throws: ``FreshetError/decoding(_:head:body:)``.
  func requireContentType(_ types: ContentTypes, of target: String) throws(FreshetError) {
    guard types != .any, !body.isEmpty, record.isAccepted || status.isSuccess else { return }
    let reason: String
    if let essence = MediaType.essence(in: headers) {
      guard !types.contains(essence) else { return }
      reason = "the server says that it is \(essence), and not \(types)"
    } else {
      guard types.requiresType else { return }
      reason = "the server does not say that it is \(types)"
    }
    throw decodingFailure(of: target, reason)
  }
}
