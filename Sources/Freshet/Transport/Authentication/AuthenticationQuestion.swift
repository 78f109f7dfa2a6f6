public import FreshetEssentials

/// A demand for a credential, see ``Authenticator/init(_:for:leeway:now:asking:)``.
public struct AuthenticationQuestion: Sendable {
  /// The challenges, in the server's order.
  ///
  /// There are none if a credential is about to expire, or if the server has sent none. Those of a proxy
  /// that has refused a tunnel have only their schemes.
  public let challenges: [Challenge]
  /// The URL of the first request that needs the credential.
  public let url: URL
  /// A Boolean value that indicates whether a proxy asks, with status 407.
  public let isProxy: Bool
  /// The credential that was rejected or is about to expire; `nil` if there was none.
  public let rejected: Credential?
  /// The transport below the authentication, for fetching a token.
  public let transport: any Transport

  /// Returns the first challenge of a scheme; its case does not matter.
  public func challenge(_ scheme: String) -> Challenge? {
    let scheme = ASCII.lowercased(scheme)
    return challenges.first { $0.scheme == scheme }
  }
}
