public import Foundation

/// A credential: the value of an `Authorization` field, and its expiry.
///
/// Its descriptions never show the value.
public struct Credential: Sendable, Hashable, Codable {
  /// The value of the `Authorization` field.
  public let authorization: String
  /// The time at which the credential expires, if it is known; it is refreshed before that time.
  public let expires: Date?
  /// A token with which a new credential can be requested, if there is one.
  public let refreshToken: String?
  /// A name for the owner that stays the same when the token changes; `nil` if it is unknown.
  ///
  /// Responses that are stored for a subject are also found with its later credentials. Without a
  /// subject, they are only found with the same `Authorization` field.
  public private(set) var subject: String?

  /// Creates a credential of any scheme.
  ///
  /// - Parameters:
  ///   - authorization: The value of the `Authorization` field.
  ///   - expires: The time at which it expires; unknown by default.
  ///   - refreshToken: A token with which a new credential can be requested; none by default.
  ///   - subject: A name for the owner, see ``subject``; unknown by default.
  public init(
    authorization: String,
    expires: Date? = nil,
    refreshToken: String? = nil,
    subject: String? = nil
  ) {
    self.subject = subject
    self.authorization = authorization
    self.expires = expires
    self.refreshToken = refreshToken
  }

  /// Creates a credential from a bearer token (RFC 6750).
  ///
  /// - Parameters:
  ///   - token: The access token.
  ///   - expires: The time at which it expires; unknown by default.
  ///   - refreshToken: A token with which a new credential can be requested; none by default.
  ///   - subject: A name for the owner, see ``subject``; unknown by default.
  /// - Returns: The credential.
  public static func bearer(
    _ token: String,
    expires: Date? = nil,
    refreshToken: String? = nil,
    subject: String? = nil
  ) -> Credential {
    Credential(
      authorization: "Bearer \(token)",
      expires: expires,
      refreshToken: refreshToken,
      subject: subject
    )
  }

  /// Creates a credential from a user name and a password, encoded in UTF-8 (RFC 7617).
  ///
  /// - Parameters:
  ///   - user: The user name, without a colon: servers treat what follows a colon as the password.
  ///   - password: The password.
  /// - Returns: The credential.
  public static func basic(user: String, password: String) -> Credential {
    Credential(
      authorization: "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
    )
  }

  /// The key of the owner for stored responses.
  var identity: String { subject.map(Self.identity) ?? authorization }

  /// Returns a key that cannot equal an `Authorization` field.
  static func identity(of subject: String) -> String { "\u{0}\(subject)" }

  /// Returns the credential with the subject of an older one, unless it has its own.
  func succeeding(_ old: Credential?) -> Credential {
    var credential = self
    credential.subject = subject ?? old?.subject
    return credential
  }

  /// The scheme, such as `Bearer`.
  var scheme: Substring { authorization.prefix { $0 != " " } }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The scheme, without the value.
  public var description: String { "\(scheme) \(Redaction.placeholder)" }
  /// The value of ``description``.
  public var debugDescription: String { description }
  /// Nothing, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
