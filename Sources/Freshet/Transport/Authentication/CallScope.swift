import Synchronization

/// The scope of one call: all its attempts, hops, pages and connections.
///
/// It records the session that the call belongs to, so that no part of the call is sent in another one.
/// A request gets its scope where the call begins; copies of the request keep it.
final class CallScope: Sendable {
  private let admission = Atomic<Bool>(false)
  private let offline = Mutex<Duration>(.zero)
  private let sessions = Mutex<[ObjectIdentifier: Int]>([:])

  /// A Boolean value that indicates whether its client has let the call begin.
  var isAdmitted: Bool {
    get { admission.load(ordering: .relaxed) }
    set { admission.store(newValue, ordering: .relaxed) }
  }

  /// The time that the call has waited for the network, which no timeout counts.
  var timeOffline: Duration { offline.withLock { $0 } }

  func noteOffline(_ time: Duration) {
    offline.withLock { $0 += time }
  }

  /// Returns the session of the call at an authenticator; the first use of the call sets it.
  func session(at authenticator: Authenticator, now current: Int) -> Int {
    sessions.withLock { sessions in
      if let known = sessions[ObjectIdentifier(authenticator)] { return known }
      sessions[ObjectIdentifier(authenticator)] = current
      return current
    }
  }
}

extension Request {
  /// The time that the call has waited for the network.
  var timeOffline: Duration { scope?.timeOffline ?? .zero }

  /// The request with a scope: its own, or a new one if it has none.
  var scoped: Request {
    guard scope == nil else { return self }
    var request = self
    request.scope = CallScope()
    return request
  }
}
