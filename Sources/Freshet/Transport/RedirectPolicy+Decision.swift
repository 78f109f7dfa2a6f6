import FreshetEssentials

extension RedirectPolicy {
  /// The reaction to a response.
  enum Decision: Sendable {
    /// The response is delivered to the caller.
    case pass
    /// The request is sent again, to another URL.
    case follow(Request, Redirect)
    /// The response is a redirect that must not be followed.
    case fail(FreshetError)
  }

  /// One request of a redirect chain.
  struct Visit: Sendable, Hashable {
    let method: HTTPMethod
    let place: String
    /// The `Cookie` field; a request that repeats another one with other cookies may get another response.
    let cookies: String?

    init(_ method: HTTPMethod, _ url: URL, cookies: String? = nil) {
      self.method = method
      self.cookies = cookies
      place = String(url.absoluteString.prefix { $0 != "#" })
    }

    /// Makes the visit of a request as it was sent.
    init(_ request: Request, answeredBy head: ResponseHead) {
      let sent = head.notes.sent ?? request.headers
      self.init(request.method, request.url, cookies: sent[.cookie])
    }
  }

  /// Decides how to react to a response; depends on nothing but the parameters and the policy.
  ///
  /// - Parameters:
  ///   - request: The request that the response belongs to.
  ///   - head: The head of the response.
  ///   - visited: The earlier requests of the chain, in order.
  /// - Returns: The reaction.
  func decision(for request: Request, head: ResponseHead, visited: [Visit]) -> Decision {
    guard maximumCount > 0, Self.followed.contains(head.status.rawValue),
      let location = head.headers[.location], !location.isEmpty
    else { return .pass }
    if let problem = URLCheck.ambiguity(in: location) {
      return .fail(.redirect("its Location is not requested: \(problem)", head: head))
    }
    // The URL of a WebSocket has a scheme of its own (RFC 6455 section 3).
    let socket = request.isUpgrade ? WebSocketHandshake.overHTTP(location) : nil
    guard let target = Self.resolve(socket ?? location, against: request.url) else {
      return .fail(.redirect("its Location is not a URL", head: head))
    }
    if let reason = refusal(of: target, from: request.url) {
      return .fail(.redirect(reason, head: head))
    }
    let method = Self.method(after: head.status, request.method)
    return follow(request, head: head, to: target, method: method, visited: visited)
  }
}

extension RedirectPolicy {
  private static let followed: Set = [301, 302, 303, 307, 308]

  private func follow(
    _ request: Request,
    head: ResponseHead,
    to target: URL,
    method: HTTPMethod,
    visited: [Visit]
  ) -> Decision {
    let stays = target.hasSameOrigin(as: request.url)
    let headers = stays ? request.headers : withoutSecrets(request.headers)
    let cookies = headers[.cookie] ?? head.notes.cookies?(target)
    let visit = Visit(method, target, cookies: cookies)
    if visit == Visit(request, answeredBy: head) || visited.contains(visit) {
      return .fail(.redirect("it loops back to \(Redaction.shown(target))", head: head))
    }
    guard visited.count < maximumCount else {
      return .fail(
        .redirect("there were more than the \(maximumCount) redirects allowed", head: head)
      )
    }
    var next = request
    next.url = target
    next.method = method
    next.headers = headers
    // The body of an upgrade is what the connection is opened for.
    if !request.isUpgrade, head.status == 303 || method != request.method && method == .get {
      Self.dropBody(of: &next)
    } else if !request.isReplayable {
      return .fail(.redirect("it requires the body again, which can be sent only once", head: head))
    }
    return .follow(next, Redirect(head: head, target: target, method: method))
  }

  private func refusal(of target: URL, from source: URL) -> String? {
    let scheme = target.scheme?.lowercased() ?? ""
    guard ["http", "https"].contains(scheme) else {
      return "it leads to the scheme “\(scheme.filter(\.isLetter))”"
    }
    let parts = URLParts(target.absoluteString)
    // RFC 9110 section 4.2.4: a URL from an untrusted source must not contain user information.
    guard parts?.userInfo == nil else { return "its Location names a user" }
    if let problem = URLCheck.problem(with: target) {
      return "its Location is not requested: \(problem)"
    }
    if source.scheme?.lowercased() == "https", scheme == "http", !allowsDowngrade {
      return "it leads from https to http"
    }
    return nil
  }

  /// Returns the method of the next request (RFC 9110 section 15.4); `HEAD` always stays `HEAD`.
  private static func method(after status: HTTPStatus, _ method: HTTPMethod) -> HTTPMethod {
    switch status {
    case 303 where method != .head: .get
    case 301 where method == .post, 302 where method == .post: .get
    default: method
    }
  }

  private static func resolve(_ location: String, against base: URL) -> URL? {
    guard let target = URL(unicode: location, relativeTo: base)?.absoluteURL else { return nil }
    guard target.fragment == nil, let fragment = base.fragment(percentEncoded: true) else {
      return target
    }
    // RFC 9110 section 10.2.2: the new location inherits the fragment.
    return URL(string: target.absoluteString + "#" + fragment)
  }

  private static func dropBody(of request: inout Request) {
    request.body = nil
    request.headers = HTTPHeaders(
      request.headers.filter {
        !$0.name.rawValue.lowercased().hasPrefix("content-") && !ofTheBody.contains($0.name)
      }
    )
  }

  /// The fields that go with a body, beside those whose names begin with `Content-`.
  private static let ofTheBody: Set<HTTPHeaders.Name> = [
    "Digest", .expect, .lastModified, .reprDigest, .transferEncoding,
  ]

  /// Returns the fields that may be sent to another origin.
  func withoutSecrets(_ headers: HTTPHeaders) -> HTTPHeaders {
    // The caller's own `Host` names the old origin.
    HTTPHeaders(headers.filter { !isSecret($0.name) && $0.name != .host })
  }

  /// Returns the fields without the secrets that were sent to the previous origin.
  func withoutSecrets(_ headers: HTTPHeaders, of previous: HTTPHeaders) -> HTTPHeaders {
    HTTPHeaders(
      headers.filter {
        !(isSecret($0.name) || $0.name == .host) || !previous[values: $0.name].contains($0.value)
      }
    )
  }

  /// Returns whether the value of a field is secret, either by its name or because it is in
  /// ``secretHeaders``.
  func isSecret(_ name: HTTPHeaders.Name) -> Bool {
    secretHeaders.contains(name) || Redaction.isSecret(name)
  }
}
