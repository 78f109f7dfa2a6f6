import FreshetEssentials

/// A user and a password, which are sent as the server asks for them.
struct Login: Sendable, Hashable, Codable {
  let user: String
  let password: String
  /// A Boolean value that indicates whether a server may have the password itself.
  let allowsBasic: Bool

  /// The value of an `Authorization` field of Basic (RFC 7617).
  var basic: String { "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())" }

  /// A Boolean value that indicates whether one of the challenges can be answered.
  func canAnswer(_ challenges: LoginChallenges.Offer) -> Bool {
    challenges.digest != nil || offersBasic(challenges)
  }

  /// A user with a colon cannot be sent: what follows it would be read as the password.
  private func offersBasic(_ challenges: LoginChallenges.Offer) -> Bool {
    challenges.hasBasic && allowsBasic && !user.utf8.contains(UInt8(ascii: ":"))
  }

  /// Returns the value of the `Authorization` field; `nil` if nothing that is offered will do.
  func authorization(
    of request: Request,
    target: String,
    answering turn: LoginChallenges.Turn
  ) async throws(FreshetError) -> String? {
    guard let challenge = turn.offer.digest, let session = turn.session else {
      return offersBasic(turn.offer) ? basic : nil
    }
    let answer = DigestAnswer(
      challenge: challenge,
      user: user,
      password: password,
      count: turn.count,
      session: session
    )
    guard challenge.protection == .body else { return answer.field(request.method, target) }
    let hash = try await request.bodyHash(challenge.algorithm)
    return answer.field(request.method, target, bodyHash: hash)
  }
}
