extension Request {
  /// The way in which a response is read, which decides whether a lost body is requested again.
  enum Reading: Sendable, Hashable {
    /// As it arrives: a reader has a part of it already.
    case streamed
    /// By a fetch, which resumes a body that breaks off if it can.
    case fetched
    /// As a whole, so that a part of it may come late or not at all.
    case collected
  }
}
