extension Request {
  /// A Boolean value that indicates whether the request can be sent again; a stream is read once only.
  package var canBeSentAgain: Bool {
    if case .stream? = body?.source { false } else { true }
  }
}
