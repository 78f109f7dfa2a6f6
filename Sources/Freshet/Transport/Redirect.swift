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
