public import FreshetEssentials
import Synchronization

/// The credential of the current user, for a set of origins.
///
/// - Credentials are only sent to the configured origins, on each hop of a redirect. An origin with `wss`
///   or `ws` is the one with `https` or `http`. A request that has its own `Authorization` field is left
///   unchanged.
/// - An origin without scheme or host fails all requests with ``FreshetError/unauthenticated(_:url:)``: sent
///   without their credential, they would fail for a reason that nobody sees.
/// - A credential that was rejected, or that is about to expire, is refreshed once, however many
///   requests need it; they wait and continue with the new one. Each is sent again at most once.
/// - Every 401 rejects it, unless a challenge of its own scheme has another complaint than `invalid_token`.
/// - The refresh runs in a task of its own: cancelling a request does not cancel it.
/// - A failed refresh fails each request that waits for it once, with
///   ``FreshetError/unauthenticated(_:url:)`` or the connection's error. After a refusal the credential
///   is not refreshed again: 401s are delivered until ``signIn(_:)``. After a failure of the network or
///   the server, a later request tries again.
/// - ``signIn(_:)`` and ``signOut()`` end a refresh, whose result is dropped. A call belongs to the session
///   in which its first request was made: none of its retries, redirects, pages or new connections is sent in
///   another one, with or without a credential; it fails with ``FreshetError/unauthenticated(_:url:)``.
///
/// ```swift
/// let session = Authenticator(.bearer(token, refreshToken: renewal), for: [api]) { old, transport in
///   try await renew(old.refreshToken, over: transport)
/// }
/// let client = Client { $0.transport = wire.authenticated(by: session) }
/// ```
///
/// A server that asks first, with a 401, or a proxy, with a 407, is answered by
/// ``init(_:for:leeway:now:asking:)`` and ``init(proxy:asking:)``.
public final class Authenticator: Sendable {
  /// Renews a credential; see ``Authenticator`` for the effects of an error.
  ///
  /// The transport is the one below the authentication. Requests that the closure sends over a
  /// transport with this authenticator pass unchanged.
  public typealias Renewal =
    @Sendable (_ old: Credential, _ transport: any Transport) async throws -> Credential

  /// Signs a request; see ``init(for:subject:signing:)``.
  ///
  /// The request is the one that will be sent, with the `Content-Type` of its body. The transport
  /// only adds `Host`, the framing of the body, and defaults such as `Accept-Encoding`.
  ///
  /// Requests that the closure sends need no permit of a scheduler, and fetches do not join others.
  /// Over a transport with this authenticator, those to its origins are signed too, unless they have an
  /// `Authorization` field.
  public typealias Signing = @Sendable (Request) async throws -> Request

  /// Answers a server's or a proxy's question with a credential, or with `nil` if there is none.
  ///
  /// - It is called once at a time: all calls that need the credential wait for its answer.
  /// - `nil` fails those calls with ``FreshetError/unauthenticated(_:url:)``; a later call asks again.
  ///   What it throws is a failed refresh, see ``Authenticator``.
  /// - To fail the calls with a reason, it throws ``FreshetError/unauthenticated(_:url:)``. Of an
  ///   error of another type only the type is shown, because its description may contain secrets.
  public typealias Asking = @Sendable (AuthenticationQuestion) async throws -> Credential?

  enum Method {
    /// `asksFirst` says whether a credential is asked for when there is none.
    case credential(Asking?, asksFirst: Bool)
    case signing(Signing, subject: String)
  }

  /// The servers that get credentials; `nil` for the transport's proxy.
  let origins: Set<URLOrigin>?
  /// A configured URL that has no origin, such as one without a scheme: a mistake.
  private let unknownOrigin: URL?
  let method: Method
  let logins = LoginChallenges()
  private let leeway: Duration
  private let now: @Sendable () -> Date
  private let state: Mutex<AuthenticationState>

  /// A refresh, whose requests pass unchanged, or a signature, whose requests do not.
  private final class Exemption: Sendable {
    let authenticator: ObjectIdentifier?
    private let isOver = Atomic(false)

    init(of authenticator: Authenticator?) {
      self.authenticator = authenticator.map { ObjectIdentifier($0) }
    }

    var isValid: Bool { !isOver.load(ordering: .relaxed) }

    func end() { isOver.store(true, ordering: .relaxed) }
  }

  /// The refreshes and signatures that the current task belongs to, or has been started by: a
  /// socket may outlive them.
  @TaskLocal private static var exemptions: [Exemption] = []

  /// A Boolean value that indicates whether the current task refreshes a credential or signs a
  /// request.
  ///
  /// Calls that hold permits of the scheduler may be waiting for it.
  static var isRenewingOrSigning: Bool { exemptions.contains(where: \.isValid) }

  /// Runs the closure of a signature, whose requests need no permit: the calls that wait for it may
  /// hold all of them.
  static func signing<Value>(_ work: () async throws -> Value) async rethrows -> Value {
    let exemption = Exemption(of: nil)
    return try await $exemptions.withValue(exemptions.filter(\.isValid) + [exemption]) {
      defer { exemption.end() }
      return try await work()
    }
  }

  /// Creates an authenticator that sends a credential and cannot renew it: a 401 is delivered.
  ///
  /// - Parameters:
  ///   - credential: The current credential; `nil` if no user is signed in.
  ///   - origins: URLs whose origins (scheme, host and port) receive the credential.
  public convenience init(_ credential: Credential?, for origins: [URL]) {
    self.init(.credential(nil, asksFirst: false), credential, origins)
  }

  /// Creates an authenticator that sends a credential and renews it.
  ///
  /// - Parameters:
  ///   - credential: The current credential; `nil` if no user is signed in.
  ///   - origins: URLs whose origins (scheme, host and port) receive the credential.
  ///   - leeway: The time before its expiry at which a credential is refreshed; 10 seconds by default.
  ///   - now: A closure that returns the current time; the system's by default.
  ///   - renewal: A closure that returns a new credential.
  public convenience init(
    _ credential: Credential?,
    for origins: [URL],
    leeway: Duration = .seconds(10),
    now: @escaping @Sendable () -> Date = { Date() },
    renewal: @escaping Renewal
  ) {
    let asking: Asking = { question in
      guard let old = question.rejected else { return nil }
      return try await renewal(old, question.transport)
    }
    self.init(.credential(asking, asksFirst: false), credential, origins, leeway, now)
  }

  /// Makes an authenticator that is asked for a credential: at a 401 for the first one, when one was
  /// rejected, and before one expires.
  ///
  /// ```swift
  /// let session = Authenticator(nil, for: [intranet]) { question in
  ///   guard question.challenge("digest") != nil else { return nil }
  ///   return .digest(user: user, password: password)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - credential: The credential to begin with; `nil` if there is none so far.
  ///   - origins: URLs whose scheme, host and port may get credentials.
  ///   - leeway: The time before its expiry at which a credential is renewed; 10 seconds by default.
  ///   - now: The time; the system's by default.
  ///   - asking: Answers with a credential.
  public convenience init(
    _ credential: Credential?,
    for origins: [URL],
    leeway: Duration = .seconds(10),
    now: @escaping @Sendable () -> Date = { Date() },
    asking: @escaping Asking
  ) {
    self.init(.credential(asking, asksFirst: true), credential, origins, leeway, now)
  }

  /// Makes an authenticator for the proxy that the transport goes through: it answers 407.
  ///
  /// Its credential is sent as `Proxy-Authorization`, and to the proxy only. Put it next to the
  /// transport, inside of an authenticator for servers:
  ///
  /// ```swift
  /// let proxy = Authenticator(proxy: .login(user: user, password: password))
  /// let transport = DefaultTransport().authenticated(by: proxy).authenticated(by: session)
  /// ```
  ///
  /// - Parameters:
  ///   - credential: The credential to begin with; `nil` if there is none so far.
  ///   - asking: Answers with a credential; without it, a 407 is delivered.
  public convenience init(proxy credential: Credential?, asking: Asking? = nil) {
    self.init(.credential(asking, asksFirst: asking != nil), credential, nil)
  }

  /// Creates an authenticator that signs each attempt of each hop.
  ///
  /// - Parameters:
  ///   - origins: URLs whose origins (scheme, host and port) receive signed requests.
  ///   - subject: A name for the signer that stays the same between launches. Responses are stored for
  ///     this subject only. Unique to each authenticator by default.
  ///   - signing: A closure that returns the signed request. An error ends the call: a ``FreshetError``
  ///     is thrown unchanged, any other as ``FreshetError/unauthenticated(_:url:)``.
  public convenience init(
    for origins: [URL],
    subject: String = UUID().uuidString,
    signing: @escaping Signing
  ) {
    self.init(.signing(signing, subject: subject), nil, origins)
  }

  private init(
    _ method: Method,
    _ credential: Credential?,
    _ origins: [URL]?,
    _ leeway: Duration = .zero,
    _ now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.method = method
    self.origins = origins.map { Set($0.compactMap(URLOrigin.init)) }
    unknownOrigin = origins?.first { URLOrigin($0) == nil }
    self.leeway = leeway
    self.now = now
    state = Mutex(AuthenticationState(credential))
  }
}

extension Authenticator {
  /// The credential that requests are sent with; `nil` if no user is signed in.
  public var credential: Credential? { state.withLock(\.ticket.credential) }

  /// A Boolean value that indicates whether the credential was rejected and its renewal refused.
  ///
  /// The user has to sign in again then.
  public var isRefused: Bool { state.withLock(\.isRefused) }

  /// Begins a session with a credential.
  public func signIn(_ credential: Credential) {
    replace(credential)
  }

  /// Ends the session: further requests are sent without a credential.
  public func signOut() {
    replace(nil)
  }

  /// Rejects a credential that a server has refused otherwise than by a 401, such as by an error in a response
  /// with status 200 or the close code of a WebSocket.
  ///
  /// It then counts as expired: the next request renews it, and waits for the new one. A credential other than
  /// the current one has been replaced already, and is ignored. Without a renewal, nothing changes.
  ///
  /// - Parameter credential: The credential that was refused, see ``credential``.
  public func reject(_ credential: Credential) {
    state.withLock { $0.reject(credential) }
  }

  private func replace(_ credential: Credential?) {
    logins.forget()
    let old = state.withLock { $0.sign(in: credential) }
    old?.abandon(.unauthenticated("the session has ended; sign in again", url: ""))
  }
}

extension Authenticator {
  typealias Ticket = AuthenticationState.Ticket

  /// Returns whether the request is for a configured origin and has to be authenticated.
  func covers(_ request: Request) -> Bool {
    let isExempt = Self.exemptions.contains {
      $0.isValid && $0.authenticator == ObjectIdentifier(self)
    }
    guard !isExempt, let origin = URLOrigin(request.url),
      origins?.contains(origin) ?? true
    else { return false }
    return !request.headers.contains(field)
  }

  /// Throws if one of the configured origins is none.
  func requireOrigins(for request: Request) throws(FreshetError) {
    guard let unknownOrigin else { return }
    let shown = Redaction.shown(unknownOrigin)
    throw .unauthenticated(
      "the origin \(shown) of its authenticator has no scheme or no host",
      url: Redaction.shown(request.url)
    )
  }

  /// The key of the current user for stored responses; `nil` if no user is signed in.
  var identity: String? { identity(of: state.withLock(\.ticket)) }

  /// Returns the key for stored responses of the user that a request was sent for.
  func identity(of ticket: Ticket) -> String? {
    switch method {
    // The proxy's answer is whoever's it would be without one.
    case .credential: isForProxy ? nil : ticket.credential?.identity
    case .signing(_, let subject): Credential.identity(of: subject)
    }
  }

  /// Returns the credential to send a request with; waits for a refresh in progress.
  ///
  /// - Throws: ``FreshetError/unauthenticated(_:url:)`` if the call's session is over.
  func ticket(for call: AuthenticatedCall) async throws(FreshetError) -> Ticket {
    guard case .credential(let asking, _) = method else { return state.withLock(\.ticket) }
    let session = call.scope.session(at: self, now: state.withLock(\.ticket.session))
    let ticket = try await ticket(for: call, asking)
    try require(ticket, of: session, for: call)
    return ticket
  }

  private func ticket(
    for call: AuthenticatedCall,
    _ asking: Asking?
  ) async throws(FreshetError) -> Ticket {
    let deadline = now().addingTimeInterval(leeway / .seconds(1))
    let step = state.withLock { state in
      state.admit(
        isExpired: { $0.expires.map { $0 <= deadline } ?? false },
        begin: { refresh($0, asking, [], for: call) }
      )
    }
    switch step {
    case .proceed(let ticket): return ticket
    case .pass: break
    case .wait(let refresh): try await call.wait(for: refresh)
    }
    // Sent even if the new credential has expired too: refreshing again could loop forever.
    return state.withLock(\.ticket)
  }

  /// Decides what a request does after its credential was rejected; starts a refresh if one is needed.
  func react(
    to rejected: Ticket,
    _ challenges: [Challenge],
    for call: AuthenticatedCall
  ) -> AuthenticationState.Step {
    guard case .credential(let asking, let asksFirst) = method else { return .pass }
    return state.withLock { state in
      state.reject(rejected, asksFirst: asksFirst) { refresh($0, asking, challenges, for: call) }
    }
  }

  /// Returns the refreshed credential, if it belongs to the session of the older one.
  func replacement(for ticket: Ticket, of call: AuthenticatedCall) throws(FreshetError) -> Ticket {
    let current = state.withLock(\.ticket)
    try require(current, of: ticket.session, for: call)
    return current
  }

  private func require(
    _ ticket: Ticket,
    of session: Int,
    for call: AuthenticatedCall
  ) throws(FreshetError) {
    guard ticket.session != session else { return }
    throw .unauthenticated(
      "the session has ended; sign in again",
      url: Redaction.shown(call.request.url)
    )
  }

  /// Begins a refresh, if another credential can be asked for.
  private func refresh(
    _ credential: Credential?,
    _ asking: Asking?,
    _ challenges: [Challenge],
    for call: AuthenticatedCall
  ) -> CredentialRefresh? {
    guard let asking else { return nil }
    let question = AuthenticationQuestion(
      challenges: challenges,
      url: call.request.url,
      isProxy: isForProxy,
      rejected: credential,
      transport: call.base
    )
    let exemption = Exemption(of: self)
    let exemptions = Self.exemptions.filter(\.isValid) + [exemption]
    let outcome = Promise<Void>()
    let task = Task { [self] in
      let result = await Self.$exemptions.withValue(exemptions) {
        defer { exemption.end() }
        do {
          return try await asking(question).map(RefreshResult.renewed) ?? .declined
        } catch {
          return RefreshResult(error)
        }
      }
      guard state.withLock({ $0.finish(outcome, with: result) }) else { return }
      outcome.settle(result.outcome())
    }
    return CredentialRefresh(outcome: outcome, task: task)
  }
}
