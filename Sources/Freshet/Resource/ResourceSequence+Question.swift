extension ResourceSequence {
  /// By what the stores are asked at this moment: the key, and the request's header fields with those
  /// that the transport would add.
  ///
  /// What is kept of a response elsewhere, such as a decoded picture, is found by the same two, so that
  /// nobody is shown what somebody else was given.
  package var question: (key: CacheKey, headers: HTTPHeaders) {
    let context = asking().context
    return (context.key, context.headers)
  }
}
