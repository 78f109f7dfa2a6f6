import Synchronization

/// What all requests of one call share: its attempts, its hops, its pages, its connections.
///
/// It remembers whose session the call belongs to, so that no part of it is sent in another one.
/// A request gets one where its call begins; a copy of the request keeps it.
final class CallScope: Sendable {
  private let sessions = Mutex<[ObjectIdentifier: Int]>([:])

  /// The session that the call belongs to at an authenticator: the first one that asks.
  func session(at authenticator: Authenticator, now current: Int) -> Int {
    sessions.withLock { sessions in
      if let known = sessions[ObjectIdentifier(authenticator)] { return known }
      sessions[ObjectIdentifier(authenticator)] = current
      return current
    }
  }
}

extension Request {
  /// The request as a part of a call: of its own, unless it is a part of one already.
  var scoped: Request {
    guard scope == nil else { return self }
    var request = self
    request.scope = CallScope()
    return request
  }
}
