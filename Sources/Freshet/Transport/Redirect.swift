public import Foundation

/// One redirect that was followed.
public struct Redirect: Sendable, Hashable {
  /// The response that said so.
  public let head: ResponseHead
  /// Where the request went instead.
  public let target: URL
  /// The method of the new request (RFC 9110 section 15.4).
  public let method: HTTPMethod

  /// Makes a redirect.
  public init(head: ResponseHead, target: URL, method: HTTPMethod) {
    self.head = head
    self.target = target
    self.method = method
  }
}

extension Redirect: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Status, method and both URLs, without users, passwords, queries and fragments.
  public var description: String {
    Printable.line("\(head), then \(method) \(Redaction.shown(target))")
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// The response, the method and the URL, secrets left out, so that `dump` shows none.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: ["head": head, "method": method, "target": Redaction.shown(target)]
    )
  }
}
