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
    let id: Int
    let offer: Offer
    let count: Int
    let clientNonce: String
  }

  private struct Entry {
    let id: Int
    var offer: Offer
    var count = 0
    let clientNonce = Hexadecimal.unpredictableName()
    /// A Boolean value that indicates whether a request with this nonce was let in.
    var isAccepted = false
    /// The version of the credential that was rejected.
    var rejected: Int?
  }

  private struct State {
    var entries: [URLOrigin?: Entry] = [:]
    var lastID = 0

    mutating func set(_ offer: Offer, for origin: URLOrigin?, isAccepted: Bool = false) {
      lastID += 1
      entries[origin] = Entry(id: lastID, offer: offer, isAccepted: isAccepted)
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
      // The client's nonce is a part of a session's key; without one, each request has its own.
      let isSession = entry.offer.digest?.isSession ?? false
      let nonce = isSession ? entry.clientNonce : Hexadecimal.unpredictableName()
      return Turn(id: entry.id, offer: entry.offer, count: entry.count, clientNonce: nonce)
    }
  }

  /// Notes challenges, unless newer ones have come since the request was sent.
  func note(_ offer: Offer, for origin: URLOrigin?, after turn: Turn?) {
    state.withLock { state in
      if state.entries[origin]?.id == turn?.id { state.set(offer, for: origin) }
    }
  }

  /// Notes the challenges that a login, by the version of its credential, got; whether it was rejected,
  /// and otherwise they are to be answered.
  func isRejected(
    _ offer: Offer,
    from origin: URLOrigin?,
    after turn: Turn?,
    version: Int
  ) -> Bool {
    state.withLock { state in
      let current = state.entries[origin]
      guard current?.id == turn?.id else {
        // One password is not tried by each of those who were sent with it.
        return current?.rejected == version
      }
      state.set(offer, for: origin)
      guard let current else { return false }
      switch (current.offer.digest, offer.digest) {
      case (let used?, let heard?):
        // Servers that have lost their nonces do not all call them stale.
        if current.isAccepted || heard.isStale || heard.realm != used.realm { return false }
      case (nil, _?): return false
      case (_, nil): break
      }
      state.entries[origin]?.rejected = version
      return true
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
        state.set(offer, for: origin, isAccepted: true)
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
