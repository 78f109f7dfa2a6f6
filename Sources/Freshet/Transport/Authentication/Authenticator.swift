public import Foundation
import Synchronization

/// The credential of the current user, for a set of origins.
///
/// - Credentials are only sent to the configured origins, on each hop of a redirect. A request that has
///   its own `Authorization` field is left unchanged.
/// - A credential that was rejected, or that is about to expire, is refreshed once, however many
///   requests need it; they wait and continue with the new one. Each is sent again at most once.
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
public final class Authenticator: Sendable {
  /// Renews a credential; see ``Authenticator`` for the effects of an error.
  ///
  /// The transport is the one below the authentication. Requests that the closure sends over a
  /// transport with this authenticator pass unchanged.
  public typealias Renewal =
    @Sendable (_ old: Credential, _ transport: any Transport) async throws -> Credential

  /// Signs a request; see ``init(for:subject:signing:)``.
  public typealias Signing = @Sendable (Request) async throws -> Request

  private enum Method {
    case credential(Renewal?)
    case signing(Signing, subject: String)
  }

  private let origins: Set<URLOrigin>
  private let method: Method
  private let leeway: Duration
  private let now: @Sendable () -> Date
  private let state: Mutex<AuthenticationState>

  /// The authenticators whose refresh the current task belongs to.
  @TaskLocal private static var exempt: Set<ObjectIdentifier> = []

  /// A Boolean value that indicates whether the current task refreshes a credential.
  ///
  /// Calls that hold permits of the scheduler may be waiting for it.
  static var isRenewing: Bool { !exempt.isEmpty }

  /// Creates an authenticator that sends a credential and cannot renew it: a 401 is delivered.
  ///
  /// - Parameters:
  ///   - credential: The current credential; `nil` if no user is signed in.
  ///   - origins: URLs whose origins (scheme, host and port) receive the credential.
  public init(_ credential: Credential?, for origins: [URL]) {
    self.origins = Set(origins.compactMap(URLOrigin.init))
    leeway = .zero
    now = { Date() }
    method = .credential(nil)
    state = Mutex(AuthenticationState(credential))
  }

  /// Creates an authenticator that sends a credential and renews it.
  ///
  /// - Parameters:
  ///   - credential: The current credential; `nil` if no user is signed in.
  ///   - origins: URLs whose origins (scheme, host and port) receive the credential.
  ///   - leeway: The time before its expiry at which a credential is refreshed; 10 seconds by default.
  ///   - now: A closure that returns the current time; the system's by default.
  ///   - renewal: A closure that returns a new credential.
  public init(
    _ credential: Credential?,
    for origins: [URL],
    leeway: Duration = .seconds(10),
    now: @escaping @Sendable () -> Date = { Date() },
    renewal: @escaping Renewal
  ) {
    self.origins = Set(origins.compactMap(URLOrigin.init))
    self.leeway = leeway
    self.now = now
    method = .credential(renewal)
    state = Mutex(AuthenticationState(credential))
  }

  /// Creates an authenticator that signs each attempt of each hop.
  ///
  /// - Parameters:
  ///   - origins: URLs whose origins (scheme, host and port) receive signed requests.
  ///   - subject: A name for the signer that stays the same between launches. Responses are stored for
  ///     this subject only. Unique to each authenticator by default.
  ///   - signing: A closure that returns the signed request. An error ends the call: a ``FreshetError``
  ///     is thrown unchanged, any other as ``FreshetError/unauthenticated(_:url:)``.
  public init(
    for origins: [URL],
    subject: String = UUID().uuidString,
    signing: @escaping Signing
  ) {
    self.origins = Set(origins.compactMap(URLOrigin.init))
    leeway = .zero
    now = { Date() }
    method = .signing(signing, subject: subject)
    state = Mutex(AuthenticationState(nil))
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

  private func replace(_ credential: Credential?) {
    let old = state.withLock { $0.sign(in: credential) }
    old?.abandon(.unauthenticated("its session has ended", url: ""))
  }
}

extension Authenticator {
  typealias Ticket = AuthenticationState.Ticket

  /// Returns whether the request is for a configured origin and has to be authenticated.
  func covers(_ request: Request) -> Bool {
    guard !Self.exempt.contains(ObjectIdentifier(self)), let origin = URLOrigin(request.url) else {
      return false
    }
    return origins.contains(origin) && !request.headers.contains(.authorization)
  }

  /// The key of the current user for stored responses; `nil` if no user is signed in.
  var identity: String? { identity(of: state.withLock(\.ticket)) }

  /// Returns the key for stored responses of the user that a request was sent for.
  func identity(of ticket: Ticket) -> String? {
    switch method {
    case .credential: ticket.credential?.identity
    case .signing(_, let subject): Credential.identity(of: subject)
    }
  }

  /// Returns the credential to send a request with; waits for a refresh in progress.
  ///
  /// - Throws: ``FreshetError/unauthenticated(_:url:)`` if the call's session is over.
  func ticket(for call: AuthenticatedCall) async throws(FreshetError) -> Ticket {
    guard case .credential(let renewal) = method else { return state.withLock(\.ticket) }
    let session = call.scope.session(at: self, now: state.withLock(\.ticket.session))
    let ticket = try await ticket(for: call, renewal)
    try require(ticket, of: session, for: call)
    return ticket
  }

  private func ticket(
    for call: AuthenticatedCall,
    _ renewal: Renewal?
  ) async throws(FreshetError) -> Ticket {
    let deadline = now().addingTimeInterval(leeway / .seconds(1))
    while true {
      let step = state.withLock { state in
        state.admit(
          isExpired: { $0.expires.map { $0 <= deadline } ?? false },
          canRefresh: renewal != nil
        )
      }
      switch step {
      case .proceed(let ticket): return ticket
      case .pass: return state.withLock(\.ticket)
      case .wait(let refresh): try await call.wait(for: refresh)
      case .start(let refresh):
        start(refresh, renewal, over: call.base)
        try await call.wait(for: refresh)
        // Sent even if the new credential has expired too: refreshing again could loop forever.
        return state.withLock(\.ticket)
      }
    }
  }

  /// Decides what a request does after its credential was rejected; starts a refresh if one is needed.
  func react(
    to rejected: Ticket,
    over base: any Transport
  ) -> AuthenticationState.Step {
    guard case .credential(let renewal) = method else { return .pass }
    let step = state.withLock { $0.reject(rejected, canRefresh: renewal != nil) }
    if case .start(let refresh) = step {
      start(refresh, renewal, over: base)
      return .wait(refresh)
    }
    return step
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
    throw .unauthenticated("its session has ended", url: Redaction.shown(call.request.url))
  }

  /// Returns the request with its credential or signature.
  func authorize(_ request: Request, with ticket: Ticket) async throws(FreshetError) -> Request {
    switch method {
    case .credential:
      guard let credential = ticket.credential else { return request }
      var request = request
      request.headers[.authorization] = credential.authorization
      return request
    case .signing(let sign, _):
      do {
        return try await request.waiting { () async throws in try await sign(request) }
      } catch let error as FreshetError {
        throw error
      } catch is CancellationError {
        throw .cancelled
      } catch {
        let reason = "signing it failed with \(type(of: error))"
        throw .unauthenticated(reason, url: Redaction.shown(request.url))
      }
    }
  }

  private func start(
    _ refresh: CredentialRefresh,
    _ renewal: Renewal?,
    over base: any Transport
  ) {
    guard let renewal else { return }
    let exempt = Self.exempt.union([ObjectIdentifier(self)])
    refresh.run { [self] in
      let result = await Self.$exempt.withValue(exempt) {
        do {
          return RefreshResult.renewed(try await renewal(refresh.credential, base))
        } catch {
          return RefreshResult(error)
        }
      }
      guard state.withLock({ $0.finish(refresh, with: result) }) else { return }
      refresh.outcome.settle(result.outcome())
    }
  }
}
