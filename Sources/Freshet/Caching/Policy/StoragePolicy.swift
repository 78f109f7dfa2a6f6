import FreshetEssentials

/// Decides whether a response may be stored, by the rules of a private cache (RFC 9111 section 3).
///
/// A private cache may store responses to requests with `Authorization`, responses with `private`
/// and those that set cookies; an app that shares a store between users gives them partitions, see
/// ``CacheKey``. Fields for shared caches, such as `s-maxage` or `CDN-Cache-Control` (RFC 9213),
/// are ignored.
enum StoragePolicy {
  /// The decision.
  enum Storability: Sendable, Hashable {
    case storable
    case notStorable(Reason)
  }

  /// The reason why a response is not stored.
  enum Reason: String, Sendable, Hashable {
    /// Only responses to `GET`, to `QUERY`, to `POST` under the conditions of RFC 9110 section 9.3.3, and
    /// to requests whose ``Request/cacheIdentity`` includes the whole request, are stored.
    case method
    /// The request has a body, which is not a part of the key.
    case requestBody = "the request's body"
    /// The status is not final, is a range (206), a difference to another response (226) or about
    /// one (304), must not be stored (RFC 6585) or asks for credentials.
    case status
    /// The request's or the response's `no-store` (sections 5.2.1.5 and 5.2.2.5).
    case noStore = "no-store"
    /// `must-understand`, and the status is not one of RFC 9110's (section 5.2.2.3).
    case mustUnderstand = "must-understand"
    /// `Vary: *`, or a `Vary` of so many names that it counts as such: no later request can match
    /// (section 4.1).
    case varyAll = "Vary: *"
    /// The request asked for a range.
    case partial
    /// The request had a condition of its own, and the response is no success.
    case conditional
    /// The call accepts other media types only.
    case contentType = "its Content-Type"
    /// Nothing in it allows storing it (section 3, last rule).
    case notCacheable = "neither its fields nor its status allow it"
  }

  /// Returns the decision.
  ///
  /// - Parameters:
  ///   - head: The head of the response.
  ///   - request: The request that it answers.
  ///   - expiry: The client's expiry policy. Anything but ``ExpiryPolicy/http`` allows storing
  ///     successful responses whose own fields do not allow it; it never overrules `no-store`.
  /// - Returns: The decision.
  static func storability(
    of head: ResponseHead,
    for request: Request,
    expiry: ExpiryPolicy = .http
  ) -> Storability {
    let asked = RequestDirectives(request.headers)
    let control = CacheControl(head.headers)
    let reason =
      requestReason(request, asked, head.status)
      ?? statusReason(head.status)
      ?? directiveReason(control, asked: asked, status: head.status)
      ?? headReason(head, request, control, expiry)
    return reason.map(Storability.notStorable) ?? .storable
  }

  /// Returns a Boolean value that indicates whether a response forbids storing the resource, so
  /// that earlier stored responses must be removed too (sections 5.2.2.3 and 5.2.2.5).
  static func forbidsStoring(_ head: ResponseHead) -> Bool {
    let reason = directiveReason(
      CacheControl(head.headers),
      asked: RequestDirectives([:]),
      status: head.status
    )
    return reason != nil
  }

  /// Returns the key under which a storable response is stored.
  ///
  /// A response to `POST` answers later `GET`s (RFC 9110 section 9.3.3) with the same chosen header
  /// fields, so it gets their key.
  static func key(for request: Request, partition: String = "") -> CacheKey {
    var request = request
    if request.method == .post, !request.isIdentifiedWhole {
      request.method = .get
      // The chosen header fields separate its responses as they separate those to GET.
      request.cacheIdentity = .url(with: request.cacheIdentity.headers)
    }
    return CacheKey(request, partition: partition)
  }

  /// Returns the head without the fields that are not stored (section 3.1).
  ///
  /// These are the fields of a connection or a proxy, and those that `no-cache="…"` names.
  static func stored(_ head: ResponseHead) -> ResponseHead {
    let unstored = UnstoredFields(of: head.headers)
    guard head.headers.contains(where: { unstored.contains($0.name) }) else { return head }
    var stored = head
    stored.headers = HTTPHeaders(head.headers.filter { !unstored.contains($0.name) })
    return stored
  }
}

extension StoragePolicy {
  /// Returns the request's reason, if any: the method must be understood (section 3), and the
  /// response must be that to the request without its condition.
  private static func requestReason(
    _ request: Request,
    _ asked: RequestDirectives,
    _ status: HTTPStatus
  ) -> Reason? {
    if !request.isIdentifiedWhole {
      guard request.method == .get || request.method == .post else { return .method }
      if request.method == .get, request.body != nil { return .requestBody }
    }
    if asked.isPartial { return .partial }
    // Section 4.3.3: a success is the whole; an error such as 412 may be about the condition.
    return asked.isConditional && !status.isSuccess ? .conditional : nil
  }

  /// Returns the status's reason, if any: it must be final, and understood if it is 206 or 304
  /// (section 3).
  private static func statusReason(_ status: HTTPStatus) -> Reason? {
    switch status.rawValue {
    case ..<200, 600...: .status
    // Ranges are not combined, and a 304 is about the stored response.
    case 206, 304: .status
    // RFC 3229 section 10.4.1: the difference to the copy that the request's condition names.
    case 226: .status
    // They ask for credentials: stored, they would answer a user who has signed in since.
    case 401, 407: .status
    // RFC 6585 sections 3 to 6.
    case 428, 429, 431, 511: .status
    default: nil
    }
  }

  private static func directiveReason(
    _ control: CacheControl,
    asked: RequestDirectives,
    status: HTTPStatus
  ) -> Reason? {
    if asked.control.flags.contains(.noStore) { return .noStore }
    if control.flags.contains(.mustUnderstand) {
      // Section 5.2.2.3: the no-store beside it is for caches that do not understand the status.
      return isUnderstood(status) ? nil : .mustUnderstand
    }
    return control.flags.contains(.noStore) ? .noStore : nil
  }

  private static func headReason(
    _ head: ResponseHead,
    _ request: Request,
    _ control: CacheControl,
    _ expiry: ExpiryPolicy
  ) -> Reason? {
    if VaryingFields.isUnmatchable(head.headers) { return .varyAll }
    if head.status.isSuccess, request.storedTypes?.refusal(of: head.headers) != nil {
      return .contentType
    }
    let hasLifetime = control.maxAge != nil || head.headers.contains(.expires)
    if request.method == .post, !request.isIdentifiedWhole {
      return hasLifetime && representsTarget(head, request) ? nil : .method
    }
    let isAllowed =
      hasLifetime || !control.flags.isDisjoint(with: [.isPublic, .isPrivate])
      || head.status.isHeuristicallyCacheable
      || (expiry != .http && head.status.isSuccess)
    return isAllowed ? nil : .notCacheable
  }

  /// Returns a Boolean value that indicates whether, by `Content-Location`, the body is the one
  /// that a `GET` would have received (RFC 9110 section 9.3.3).
  private static func representsTarget(_ head: ResponseHead, _ request: Request) -> Bool {
    guard let location = head.headers[.contentLocation],
      let url = URL(unicode: location, relativeTo: request.url)
    else { return false }
    return CacheKey(url.absoluteURL) == CacheKey(request.url)
      && CacheKey(head.url) == CacheKey(request.url)
  }

  /// Returns a Boolean value that indicates whether it is one of RFC 9110's final statuses, whose
  /// caching rules are all implemented here.
  private static func isUnderstood(_ status: HTTPStatus) -> Bool {
    switch status.rawValue {
    case 200...206, 300...303, 305, 307, 308, 400...417, 421, 422, 426, 500...505: true
    default: false
    }
  }
}

/// The fields of a response that are not stored (RFC 9111 section 3.1).
struct UnstoredFields {
  private let ofConnection: Set<HTTPHeaders.Name>
  /// The fields named by `no-cache="…"`.
  let ofNoCache: Set<HTTPHeaders.Name>

  init(of headers: HTTPHeaders) {
    ofConnection = Set(headers.members(of: .connection).map { HTTPHeaders.Name($0) })
    ofNoCache = Set(CacheControl(headers).noCacheFields.map { HTTPHeaders.Name($0) })
  }

  func contains(_ name: HTTPHeaders.Name) -> Bool {
    Self.always.contains(name) || ofConnection.contains(name) || ofNoCache.contains(name)
  }

  /// The fields of RFC 9110 section 7.6.1, of proxies, and of one exchange with one client: cookies
  /// and challenges of a stored response are never read.
  private static let always: Set<HTTPHeaders.Name> = [
    .connection, .transferEncoding, "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Upgrade",
    "Proxy-Authenticate", "Proxy-Authentication-Info", .proxyAuthorization,
    .setCookie, "Set-Cookie2", "WWW-Authenticate", "Authentication-Info",
  ]

  /// Returns a Boolean value that indicates whether a field is never written to disk.
  ///
  /// Signatures of servers are no secrets.
  static func isSecret(_ name: HTTPHeaders.Name) -> Bool {
    always.contains(name) || Redaction.isSecret(name) && !signatures.contains(name)
  }

  /// The fields of RFC 9421, and of signed scripts.
  private static let signatures: Set<HTTPHeaders.Name> = [
    "Signature", "Signature-Input", "Content-Signature", "Accept-Signature",
  ]
}

extension ResponseHead {
  /// The fields that are written to disk: those that are not secret.
  var writtenFields: [HTTPHeaders.Field] {
    let secrets = notes.secretHeaders
    return headers.filter { !UnstoredFields.isSecret($0.name) && !secrets.contains($0.name) }
  }
}

extension URL {
  /// The URL as text, without user and password, which no request has, and without its fragment, on
  /// which no response depends.
  var withoutUserAndFragment: String {
    let text = absoluteString
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "#") }) else {
      return text
    }
    let end = text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
    let whole = String(text[..<end])
    guard let user = URLParts.user(of: whole) else { return whole }
    return String(whole[..<user.startIndex] + whole[user.endIndex...].dropFirst())
  }
}
