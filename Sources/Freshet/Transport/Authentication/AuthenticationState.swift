/// The state of an authenticator: the current credential, and the refresh in progress, if any.
///
/// A value that decides; ``Authenticator`` carries out its decisions, and begins refreshes under its
/// lock.
struct AuthenticationState {
  /// The credential that a request is sent with.
  struct Ticket: Sendable {
    let credential: Credential?
    /// The number of sign-ins and sign-outs so far.
    let session: Int
    /// The number of credentials so far.
    let version: Int
  }

  enum Step {
    case proceed(Ticket)
    /// The request waits for a refresh.
    case wait(Promise<Void>)
    /// The response is delivered as it is.
    case pass
  }

  private var credential: Credential?
  private var session = 0
  private var version = 0
  private var refresh: CredentialRefresh?
  private var refused: Int?
  /// The version that the app has rejected.
  private var rejected: Int?
  /// The version that nothing was given for.
  private var declined: Int?

  init(_ credential: Credential?) {
    self.credential = credential
  }

  var ticket: Ticket { Ticket(credential: credential, session: session, version: version) }

  /// A Boolean value that indicates whether the credential was rejected and its renewal refused.
  var isRefused: Bool { refused == version }

  /// Begins another session, and returns the refresh of the old one, whose result is dropped.
  mutating func sign(in credential: Credential?) -> CredentialRefresh? {
    self.credential = credential
    session += 1
    version += 1
    return refresh.take()
  }

  /// Lets the current credential count as expired, if it is this one.
  mutating func reject(_ credential: Credential) {
    if self.credential == credential { rejected = version }
  }

  /// Decides what a request does before it is sent.
  ///
  /// - Parameters:
  ///   - isExpired: A closure that decides whether a credential has to be refreshed.
  ///   - begin: A closure that begins a refresh, or returns `nil` if there is none.
  /// - Returns: The next step.
  mutating func admit(
    isExpired: (Credential) -> Bool,
    begin: (Credential?) -> CredentialRefresh?
  ) -> Step {
    if let refresh { return .wait(refresh.outcome) }
    guard !isRefused, let credential, rejected == version || isExpired(credential) else {
      return .proceed(ticket)
    }
    refresh = begin(credential)
    return refresh.map { .wait($0.outcome) } ?? .proceed(ticket)
  }

  /// Returns the next step of a request whose credential was rejected, or that needs a first one.
  mutating func reject(
    _ ticket: Ticket,
    asksFirst: Bool,
    begin: (Credential?) -> CredentialRefresh?
  ) -> Step {
    // Another user's request must not be sent again with this one's credential.
    guard ticket.session == session, credential != nil || asksFirst else { return .pass }
    if ticket.version < version { return declined == version ? .pass : .proceed(self.ticket) }
    if refresh == nil, !isRefused { refresh = begin(credential) }
    return refresh.map { .wait($0.outcome) } ?? .pass
  }

  /// Applies the result of a refresh, unless its session is over.
  ///
  /// - Returns: A Boolean value that indicates whether the result was applied.
  mutating func finish(_ outcome: Promise<Void>, with result: RefreshResult) -> Bool {
    guard refresh?.outcome === outcome else { return false }
    refresh = nil
    switch result {
    case .renewed(let credential):
      self.credential = credential.succeeding(self.credential)
      version += 1
    case .declined:
      // Requests that were sent before are not asked about; later ones are.
      version += 1
      declined = version
    case .refused:
      refused = version
    case .failed:
      break
    }
    return true
  }
}

/// The result of a refresh.
enum RefreshResult: Sendable {
  case renewed(Credential)
  /// No credential was given.
  case declined
  /// The refresh cannot succeed with this credential.
  case refused(String)
  /// The refresh may succeed later.
  case failed(FreshetError)
}
