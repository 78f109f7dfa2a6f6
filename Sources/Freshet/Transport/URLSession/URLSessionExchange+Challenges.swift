#if canImport(Darwin)
import FreshetEssentials
import Security

extension URLSessionExchange {
  /// The response to a challenge, for the session; a credential that is `nil` continues without
  /// one.
  typealias ChallengeAnswer = (URLSession.AuthChallengeDisposition, URLCredential?)

  /// Responds to a challenge for server trust or for a client certificate.
  func answer(to challenge: URLAuthenticationChallenge) -> ChallengeAnswer {
    let space = challenge.protectionSpace
    switch space.authenticationMethod {
    case NSURLAuthenticationMethodClientCertificate:
      let identity = engine.identities[request.url] ?? engine.configuration.identity
      // By default the system could choose a certificate of the keychain.
      return (.useCredential, identity?.credential)
    case NSURLAuthenticationMethodServerTrust:
      return space.serverTrust.map { answer(to: $0, of: space.host) }
        ?? (.performDefaultHandling, nil)
    case NSURLAuthenticationMethodNTLM where !space.isProxy(),
      NSURLAuthenticationMethodNegotiate where !space.isProxy():
      // By default the system could use the account of the user.
      return (.rejectProtectionSpace, nil)
    default:
      return proxyAnswer(to: challenge)
    }
  }

  /// Answers a proxy, once.
  private func proxyAnswer(to challenge: URLAuthenticationChallenge) -> ChallengeAnswer {
    let space = challenge.protectionSpace
    guard space.isProxy(), challenge.previousFailureCount == 0,
      let login = request.proxyAuthentication?.login,
      login.allowsBasic || space.authenticationMethod == NSURLAuthenticationMethodHTTPDigest
    else { return (.performDefaultHandling, nil) }
    return (
      .useCredential,
      URLCredential(user: login.user, password: login.password, persistence: .none)
    )
  }

  private func answer(to trust: SecTrust, of host: String) -> ChallengeAnswer {
    let pins = engine.pins.pins(for: request.url)
    let anchors = engine.configuration.trust
    let decide = engine.configuration.decideTrust
    guard pins != nil || anchors != .system || decide != nil else {
      return (.performDefaultHandling, nil)
    }
    if case .certificates(let certificates) = anchors { trust.accept(certificates) }
    // Pins stand in the authorities' place, also for what the app is told.
    if let pins, !pins.certificates.isEmpty { trust.accept(pins.certificates) }
    let refusal = decide.flatMap { trust.problem(with: host, after: $0) }
    if let problem = refusal ?? (pins ?? ServerPins()).problem(with: trust) {
      finish(.failure(.insecure(problem, url: shownURL)))
      return (.cancelAuthenticationChallenge, nil)
    }
    return (.useCredential, URLCredential(trust: trust))
  }
}

extension SecTrust {
  /// Trusts only these authorities, given in DER.
  func accept(_ certificates: [Data]) {
    let anchors = certificates.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
    SecTrustSetAnchorCertificates(self, anchors as CFArray)
    SecTrustSetAnchorCertificatesOnly(self, true)
  }
}

extension ServerPins {
  /// Returns the reason why the server's certificates are not accepted, or `nil`.
  func problem(with trust: SecTrust) -> String? {
    if !certificates.isEmpty { trust.accept(certificates) }
    guard SecTrustEvaluateWithError(trust, nil) else { return "the server is not trusted" }
    guard !keys.isEmpty else { return nil }
    let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate]
    let key = chain?.first
      .flatMap {
        CertificateKey.digest(in: SecCertificateCopyData($0) as Data)
      }
    return key.map(keys.contains) == true ? nil : "the server's key is not among the pinned ones"
  }
}
#endif
