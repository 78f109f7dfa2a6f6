import FreshetEssentials

/// The answer to a challenge of Digest authentication (RFC 7616 section 3.4).
struct DigestAnswer {
  let challenge: DigestChallenge
  let user: String
  let password: String
  /// The number of requests with this nonce, this one included.
  let count: Int
  let session: DigestSession

  /// Returns the value of the `Authorization` field.
  ///
  /// - Parameters:
  ///   - method: The method of the request.
  ///   - target: The target of the request, as it is sent.
  ///   - bodyHash: The digest of the body in hexadecimal, for `auth-int`.
  /// - Returns: The value.
  func field(_ method: HTTPMethod, _ target: String, bodyHash: String = "") -> String {
    let number = count.padded(to: 8, radix: 16)
    var parts = [
      named, "realm=\(FieldList.quoted(challenge.realm))",
      "nonce=\(FieldList.quoted(challenge.nonce))",
      "uri=\(FieldList.quoted(target))",
      "response=\"\(response(method, target, bodyHash, number))\"",
    ]
    if let algorithm = challenge.writtenAlgorithm { parts.append("algorithm=\(algorithm)") }
    if let protection = challenge.protection {
      parts += [
        "qop=\(protection.rawValue)", "nc=\(number)",
        "cnonce=\(FieldList.quoted(session.clientNonce))",
      ]
    }
    if let opaque = challenge.opaque { parts.append("opaque=\(FieldList.quoted(opaque))") }
    if challenge.hashesUser { parts.append("userhash=true") }
    return "Digest " + parts.joined(separator: ", ")
  }

  /// The proof (sections 3.4.1 to 3.4.3).
  private func response(
    _ method: HTTPMethod,
    _ target: String,
    _ bodyHash: String,
    _ number: String
  ) -> String {
    var key = challenge.hash(user, challenge.realm, password)
    if challenge.isSession {
      key = challenge.hash(key, session.nonce, session.clientNonce)
    }
    let message =
      challenge.protection == .body
      ? challenge.hash(method.rawValue, target, bodyHash)
      : challenge.hash(method.rawValue, target)
    guard let protection = challenge.protection else {
      return challenge.hash(key, challenge.nonce, message)
    }
    return challenge.hash(
      key,
      challenge.nonce,
      number,
      session.clientNonce,
      protection.rawValue,
      message
    )
  }

  /// The user: hashed, quoted, or encoded where a quoted string cannot hold it (section 3.4.4).
  ///
  /// Letters that are not ASCII are encoded for servers that name UTF-8; older ones know only what
  /// is quoted.
  private var named: String {
    if challenge.hashesUser { return "username=\"\(challenge.hash(user, challenge.realm))\"" }
    let isPlain = user.utf8.allSatisfy {
      ($0 < 0x80 || !challenge.isUTF8) && !ASCII.isControl($0)
    }
    guard !isPlain else { return "username=\(FieldList.quoted(user))" }
    return "username*=UTF-8''\(PercentEncoding.url.encode(user))"
  }
}
