/// An authentication challenge of a server (RFC 9110 section 11.6.1).
struct Challenge: Sendable, Hashable {
  let scheme: String
  var parameters: [String: String] = [:]

  /// Returns the challenges of a response, in order.
  static func all(in headers: HTTPHeaders) -> [Challenge] {
    var challenges: [Challenge] = []
    for member in headers.members(of: "WWW-Authenticate") {
      let text = member[...]
      let name = Substring(text.utf8.prefix { $0 != 0x20 && $0 != UInt8(ascii: "=") })
      let rest = ASCII.trimmed(text[name.endIndex...])
      if rest.utf8.first == UInt8(ascii: "=") {
        // A further parameter of the previous challenge.
        guard !challenges.isEmpty else { continue }
        challenges[challenges.count - 1].add(text)
      } else {
        var challenge = Challenge(scheme: ASCII.lowercased(name))
        challenge.add(rest)
        challenges.append(challenge)
      }
    }
    return challenges
  }

  private mutating func add(_ parameter: Substring) {
    guard let equals = parameter.utf8.firstIndex(of: UInt8(ascii: "=")) else { return }
    let value = ASCII.trimmed(parameter[parameter.utf8.index(after: equals)...])
    let name = ASCII.lowercased(ASCII.trimmed(parameter[..<equals]))
    parameters[name] = FieldList.unquoted(value) ?? String(value)
  }
}

extension ResponseHead {
  /// Returns whether the response says that this credential is invalid or has expired.
  ///
  /// A 401 says so unless it asks for other schemes only, or reports another error than `invalid_token`
  /// (RFC 6750 section 3.1).
  func rejects(_ credential: Credential) -> Bool {
    guard status == 401 else { return false }
    let challenges = Challenge.all(in: headers)
    guard !challenges.isEmpty else { return true }
    let scheme = ASCII.lowercased(credential.scheme)
    return challenges.contains { challenge in
      challenge.scheme == scheme
        && challenge.parameters["error"].map { $0 == "invalid_token" } ?? true
    }
  }
}
