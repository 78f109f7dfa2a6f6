/// What an authenticator knows: who is signed in, and whether a new credential is on its way.
///
/// A pure value; what it returns is done by ``Authenticator`` outside of its lock.
struct AuthenticationState {
  /// The credential that a request was sent with.
  struct Ticket: Sendable {
    let credential: Credential?
    /// Counts sign-ins and sign-outs.
    let session: Int
    /// Counts credentials.
    let version: Int
  }

  enum Step {
    case proceed(Ticket)
    case wait(CredentialRefresh)
    case start(CredentialRefresh)
    /// Nothing can be done about it.
    case pass
  }

  private var credential: Credential?
  private var session = 0
  private var version = 0
  private var refresh: CredentialRefresh?
  private var refused: Int?
  private var refreshCount = 0

  init(_ credential: Credential?) {
    self.credential = credential
  }

  var ticket: Ticket { Ticket(credential: credential, session: session, version: version) }

  /// Whether the credential was rejected, and a new one refused.
  var isRefused: Bool { refused == version }

  /// Begins another session; returns the refresh of the old one, which comes to nothing.
  mutating func sign(in credential: Credential?) -> CredentialRefresh? {
    self.credential = credential
    session += 1
    version += 1
    return refresh.take()
  }

  /// What a request does before it is sent.
  mutating func admit(isExpired: (Credential) -> Bool, canRefresh: Bool) -> Step {
    if let refresh { return .wait(refresh) }
    guard canRefresh, !isRefused, let credential, isExpired(credential) else {
      return .proceed(ticket)
    }
    return start(credential)
  }

  /// What a request does whose credential was rejected.
  mutating func reject(_ ticket: Ticket, canRefresh: Bool) -> Step {
    // Another user's request must not be sent again with this one's credential.
    guard ticket.session == session, let credential else { return .pass }
    if ticket.version < version { return .proceed(self.ticket) }
    if let refresh { return .wait(refresh) }
    guard canRefresh, !isRefused else { return .pass }
    return start(credential)
  }

  private mutating func start(_ credential: Credential) -> Step {
    refreshCount += 1
    let refresh = CredentialRefresh(id: refreshCount, credential: credential)
    self.refresh = refresh
    return .start(refresh)
  }

  /// Takes a refresh's result, unless its session is over.
  ///
  /// - Returns: Whether it counts.
  mutating func finish(_ refresh: CredentialRefresh, with result: RefreshResult) -> Bool {
    guard self.refresh?.id == refresh.id else { return false }
    self.refresh = nil
    switch result {
    case .renewed(let credential):
      self.credential = credential.succeeding(self.credential)
      version += 1
    case .refused:
      refused = version
    case .failed:
      break
    }
    return true
  }
}

/// How a refresh ended.
enum RefreshResult: Sendable {
  case renewed(Credential)
  /// It will not succeed with this credential.
  case refused(String)
  /// It may succeed another time.
  case failed(FreshetError)
}
