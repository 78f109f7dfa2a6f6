import FreshetEssentials

extension Authenticator {
  /// The meaning of a response for the credential of its request.
  enum Verdict {
    case pass
    /// The request is sent again with an answer to the challenges, which this turn answers, or the next one.
    case answer(LoginChallenges.Turn?)
    /// Another credential is needed.
    case ask([Challenge])
  }

  var isForProxy: Bool { origins == nil }

  /// The field that carries the credential.
  var field: HTTPHeaders.Name { isForProxy ? .proxyAuthorization : .authorization }

  private var challengeField: HTTPHeaders.Name {
    isForProxy ? "Proxy-Authenticate" : "WWW-Authenticate"
  }

  private var infoField: HTTPHeaders.Name {
    isForProxy ? "Proxy-Authentication-Info" : "Authentication-Info"
  }

  private func origin(of request: Request) -> URLOrigin? {
    isForProxy ? nil : URLOrigin(request.url)
  }

  /// Returns what the next request to the same origin answers; `nil` while it has asked for nothing.
  func nextTurn(for request: Request) -> LoginChallenges.Turn? {
    logins.next(for: origin(of: request))
  }

  /// Reads what a response says about the credential of its request.
  func verdict(
    on head: ResponseHead,
    of request: Request,
    _ ticket: Ticket,
    _ turn: LoginChallenges.Turn?
  ) -> Verdict {
    guard case .credential(_, let asksFirst) = method else { return .pass }
    let origin = origin(of: request)
    guard head.status == (isForProxy ? 407 : 401) else {
      // A server that fails, or a proxy on the way, has not judged the credential.
      if let turn, head.status.rawValue < 500, head.status != 407 {
        logins.accept(turn, from: origin, nextNonce: nextNonce(in: head))
      }
      return .pass
    }
    let challenges = Challenge.all(in: head.headers, of: challengeField)
    guard let credential = ticket.credential else {
      guard asksFirst else { return .pass }
      logins.note(LoginChallenges.Offer(challenges), for: origin, after: turn)
      return .ask(challenges)
    }
    // A tunnel's challenges have been answered by the transport.
    if isForProxy, request.isTunneled { return .ask(challenges) }
    guard let login = credential.login else {
      guard credential.isRejected(by: challenges) else { return .pass }
      logins.note(LoginChallenges.Offer(challenges), for: origin, after: turn)
      return .ask(challenges)
    }
    let offer = LoginChallenges.Offer(challenges)
    guard login.canAnswer(offer) else { return challenges.isEmpty ? .ask([]) : .pass }
    return logins.verdict(
      on: challenges,
      offer,
      from: origin,
      after: turn,
      version: ticket.version
    )
  }

  private func nextNonce(in head: ResponseHead) -> String? {
    let parameters = head.headers.members(of: infoField).lazy.map { FieldList.parameter($0[...]) }
    return parameters.first { $0.name == "nextnonce" }?.value.flatMap(FieldList.unquoted)
  }

  /// The request with what proves who asks, and the challenge that it answers: this one, or what is noted.
  func authorize(
    _ call: AuthenticatedCall,
    with ticket: Ticket,
    answering turn: LoginChallenges.Turn?
  ) async throws(FreshetError) -> (request: Request, turn: LoginChallenges.Turn?) {
    switch method {
    case .credential:
      var request = call.request
      if isForProxy {
        request.proxyAuthentication = ProxyAuthentication(login: ticket.credential?.login)
      }
      guard let credential = ticket.credential else { return (request, nil) }
      guard let login = credential.login else {
        request.headers[field] = credential.authorization
        return (request, nil)
      }
      return try await authorize(request, of: call, with: login, answering: turn)
    case .signing(let sign, _):
      return (try await signed(call, by: sign), nil)
    }
  }

  private func authorize(
    _ request: Request,
    of call: AuthenticatedCall,
    with login: Login,
    answering turn: LoginChallenges.Turn?
  ) async throws(FreshetError) -> (request: Request, turn: LoginChallenges.Turn?) {
    guard !(isForProxy && request.isTunneled),
      let turn = turn ?? nextTurn(for: request)
    else { return (request, nil) }
    let value = try await call.wait { [isForProxy] () async throws(FreshetError) in
      try await login.authorization(
        of: request,
        target: isForProxy ? request.proxyTarget : request.sentTarget,
        answering: turn
      )
    }
    var request = request
    if let value { request.headers[field] = value }
    return (request, turn)
  }

  private func signed(
    _ call: AuthenticatedCall,
    by sign: @escaping Signing
  ) async throws(FreshetError) -> Request {
    var unsigned = try call.timer.remaining(of: call.request)
    let added = unsigned.body?.contentType?.description
    let isAdded = added != nil && !unsigned.headers.contains(.contentType)
    if isAdded { unsigned.headers[.contentType] = added }
    let request = unsigned
    return try await call.wait { () async throws(FreshetError) in
      do {
        var signed = try await Self.signing { try await sign(request) }
        // The closure may have put a body of another type in its place, such as an encrypted one.
        if isAdded, signed.headers[.contentType] == added, let other = signed.body?.contentType {
          signed.headers[.contentType] = other.description
        }
        return signed
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
}

extension Request {
  /// The target as it is sent to a server: path and query (RFC 9112 section 3.2.1).
  fileprivate var sentTarget: String {
    let rest = URLParts(url.absoluteString)?.rest ?? ""
    let target = rest.prefix { $0 != "#" }
    return target.hasPrefix("/") ? String(target) : "/\(target)"
  }

  /// The target as it is sent to a proxy (RFC 9112 section 3.2.2).
  ///
  /// libcurl writes it anew: without the port of the scheme, an empty query and the zeros of a port, with the scheme
  /// in lower case and the shortest form of an IPv6 address.
  fileprivate var proxyTarget: String {
    guard let origin = URLOrigin(url), let parts = URLParts(url.absoluteString) else {
      return sentTarget
    }
    let isShorter = parts.host.hasPrefix("[") && origin.host.utf8.count < parts.host.utf8.count
    let host = isShorter ? origin.host : String(parts.host)
    let port = origin.port == 80 ? "" : ":\(origin.port)"
    let mark = sentTarget.utf8.firstIndex(of: UInt8(ascii: "?"))
    let hasEmptyQuery = mark.map { sentTarget.utf8.index(after: $0) } == sentTarget.utf8.endIndex
    return
      "\(origin.scheme)://\(host)\(port)\(hasEmptyQuery ? String(sentTarget.dropLast()) : sentTarget)"
  }
}
