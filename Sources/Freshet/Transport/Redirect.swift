public import FreshetEssentials

/// A redirect that was followed.
public struct Redirect: Sendable, Hashable {
  /// The head of the redirect response.
  public let head: ResponseHead
  /// The URL that the request was sent to next.
  public let target: URL
  /// The method of the new request (RFC 9110 section 15.4).
  public let method: HTTPMethod

  /// Creates a redirect.
  public init(head: ResponseHead, target: URL, method: HTTPMethod) {
    self.head = head
    self.target = target
    self.method = method
  }
}

extension Redirect: RedactedDescribable {
  /// The status, the method and both URLs, without users, passwords, queries and fragments.
  public var description: String {
    Printable.line("\(head), then \(method) \(Redaction.shown(target))")
  }
  /// The response, the method and the URL without secrets, so that `dump` shows none.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: ["head": head, "method": method, "target": Redaction.shown(target)]
    )
  }
}
