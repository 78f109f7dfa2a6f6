/// The nonces of which the key of a `-sess` algorithm is made: those of the challenge and of the first answer
/// to it (RFC 7616 section 3.4.2).
struct DigestSession: Sendable {
  let nonce: String
  let clientNonce: String
}

extension DigestSession {
  /// Begins a session by answering a challenge.
  init(_ challenge: DigestChallenge) {
    self.init(nonce: challenge.nonce, clientNonce: Hexadecimal.unpredictableName())
  }
}
