import Synchronization

/// The challenges that logins answer, by origin, with the nonces that are in use.
final class LoginChallenges: Sendable {
  /// The challenges of one response that a login can answer.
  struct Offer: Sendable {
    var digest: DigestChallenge?
    let hasBasic: Bool

    /// Takes the first challenge of Digest that can be answered: the order is the server's preference
    /// (RFC 7616 section 3.7).
    init(_ challenges: [Challenge]) {
      digest = challenges.lazy.compactMap(DigestChallenge.init).first
      hasBasic = challenges.contains { $0.scheme == "basic" }
    }
  }

  /// An offer, for one request.
  struct Turn: Sendable {
    /// The number of what is noted for the origin; `nil` for an offer that only this request has got.
    let id: Int?
    let offer: Offer
    let count: Int
    let session: DigestSession?
  }

  private struct Entry {
    let id: Int
    var offer: Offer
    var count = 0
    let session: DigestSession?
    /// A Boolean value that indicates whether a request with this nonce was let in.
    var isAccepted = false
    /// The version of the credential that was rejected.
    var rejected: Int?
  }

  private struct State {
    var entries: [URLOrigin?: Entry] = [:]
    var lastID = 0

    mutating func set(_ offer: Offer, for origin: URLOrigin?, in session: DigestSession? = nil) {
      lastID += 1
      entries[origin] = Entry(
        id: lastID,
        offer: offer,
        session: session ?? offer.digest.map(DigestSession.init),
        isAccepted: session != nil
      )
    }
  }

  private let state = Mutex(State())

  /// The challenges that the next request to an origin, or to the proxy, answers; `nil` while it has
  /// asked for nothing.
  func next(for origin: URLOrigin?) -> Turn? {
    state.withLock { state in
      guard var entry = state.entries[origin] else { return nil }
      entry.count += 1
      state.entries[origin] = entry
      // Without a session, each request has a nonce of its own.
      let isSession = entry.offer.digest?.isSession ?? false
      let session = isSession ? entry.session : entry.offer.digest.map(DigestSession.init)
      return Turn(id: entry.id, offer: entry.offer, count: entry.count, session: session)
    }
  }

  /// Notes challenges, unless newer ones have come since the request was sent.
  func note(_ offer: Offer, for origin: URLOrigin?, after turn: Turn?) {
    state.withLock { state in
      if state.entries[origin]?.id == turn?.id { state.set(offer, for: origin) }
    }
  }

  /// Notes the challenges that a login, by the version of its credential, got.
  ///
  /// - Returns: Their meaning: the request is answered, or another credential is needed.
  func verdict(
    on challenges: [Challenge],
    _ offer: Offer,
    from origin: URLOrigin?,
    after turn: Turn?,
    version: Int
  ) -> Authenticator.Verdict {
    state.withLock { state in
      let current = state.entries[origin]
      let isCurrent = current?.id == turn?.id
      if isCurrent {
        state.set(offer, for: origin)
      } else if current?.rejected == version {
        // One password is not tried by each of those who were sent with it.
        return .ask(challenges)
      }
      // Servers that have lost their nonces do not all call them stale.
      let isAccepted = isCurrent && current?.isAccepted == true
      guard let turn, isCurrent || turn.id == nil,
        offer.rejects(turn.offer, isAccepted: isAccepted)
      else {
        // Others use the nonce that is noted, which may be good for one request.
        return .answer(isCurrent ? nil : Turn(offer))
      }
      state.entries[origin]?.rejected = version
      return .ask(challenges)
    }
  }

  /// Notes that a request was let in, and the nonce for the next one (RFC 7616 section 3.5).
  func accept(_ turn: Turn, from origin: URLOrigin?, nextNonce: String?) {
    state.withLock { state in
      guard var entry = state.entries[origin], entry.id == turn.id else { return }
      if let nextNonce, var challenge = entry.offer.digest, challenge.nonce != nextNonce {
        challenge.nonce = nextNonce
        var offer = entry.offer
        offer.digest = challenge
        state.set(offer, for: origin, in: entry.session)
      } else {
        entry.isAccepted = true
        state.entries[origin] = entry
      }
    }
  }

  /// Forgets everything: a new session answers new challenges.
  func forget() {
    state.withLock { $0.entries = [:] }
  }
}

extension LoginChallenges.Turn {
  /// Makes the turn of the only request that answers an offer.
  fileprivate init(_ offer: LoginChallenges.Offer) {
    self.init(id: nil, offer: offer, count: 1, session: offer.digest.map(DigestSession.init))
  }
}

extension LoginChallenges.Offer {
  /// Returns whether this offer, to an answer of another one, says that the login is wrong.
  fileprivate func rejects(_ used: LoginChallenges.Offer, isAccepted: Bool) -> Bool {
    guard let heard = digest else { return true }
    guard let used = used.digest else { return false }
    return !isAccepted && !heard.isStale && heard.realm == used.realm
  }
}
