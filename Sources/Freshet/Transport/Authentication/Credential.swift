public import Foundation

/// What proves to a server who asks: the value of an `Authorization` field, and how long it lasts.
///
/// Its descriptions never show it.
public struct Credential: Sendable, Hashable, Codable {
  /// The value of the `Authorization` field.
  public let authorization: String
  /// When it ceases to be valid, if that is known: it is refreshed before then.
  public let expires: Date?
  /// What a new one can be got for, if anything.
  public let refreshToken: String?

  /// Makes a credential of another scheme.
  ///
  /// - Parameters:
  ///   - authorization: The value of the `Authorization` field.
  ///   - expires: When it ceases to be valid; unknown by default.
  ///   - refreshToken: What a new one can be got for; nothing by default.
  public init(authorization: String, expires: Date? = nil, refreshToken: String? = nil) {
    self.authorization = authorization
    self.expires = expires
    self.refreshToken = refreshToken
  }

  /// A bearer token (RFC 6750).
  ///
  /// - Parameters:
  ///   - token: The access token.
  ///   - expires: When it ceases to be valid; unknown by default.
  ///   - refreshToken: What a new one can be got for; nothing by default.
  /// - Returns: The credential.
  public static func bearer(
    _ token: String,
    expires: Date? = nil,
    refreshToken: String? = nil
  ) -> Credential {
    Credential(authorization: "Bearer \(token)", expires: expires, refreshToken: refreshToken)
  }

  /// A user and a password in UTF-8 (RFC 7617).
  ///
  /// - Parameters:
  ///   - user: The user's name, without a colon: servers read what follows one as the password.
  ///   - password: The password.
  /// - Returns: The credential.
  public static func basic(user: String, password: String) -> Credential {
    Credential(
      authorization: "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
    )
  }

  /// The scheme, such as `Bearer`.
  var scheme: Substring { authorization.prefix { $0 != " " } }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The scheme and nothing else.
  public var description: String { "\(scheme) \(Redaction.placeholder)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Nothing, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
