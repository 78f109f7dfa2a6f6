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
  /// Whose it is, by a name that stays the same when the token changes; `nil` if nobody has told.
  ///
  /// What is stored for somebody is found by the next credential of the same subject too. Without a
  /// subject it is found by the same `Authorization` only.
  public private(set) var subject: String?

  /// Makes a credential of another scheme.
  ///
  /// - Parameters:
  ///   - authorization: The value of the `Authorization` field.
  ///   - expires: When it ceases to be valid; unknown by default.
  ///   - refreshToken: What a new one can be got for; nothing by default.
  ///   - subject: Whose it is, see ``subject``; unknown by default.
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

  /// A bearer token (RFC 6750).
  ///
  /// - Parameters:
  ///   - token: The access token.
  ///   - expires: When it ceases to be valid; unknown by default.
  ///   - refreshToken: What a new one can be got for; nothing by default.
  ///   - subject: Whose it is, see ``subject``; unknown by default.
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

  /// By what stored responses know whose it is.
  var identity: String { subject.map(Self.identity) ?? authorization }

  /// A value that no `Authorization` field can have.
  static func identity(of subject: String) -> String { "\u{0}\(subject)" }

  /// The same credential, of the subject of an older one unless it has one of its own.
  func succeeding(_ old: Credential?) -> Credential {
    var credential = self
    credential.subject = subject ?? old?.subject
    return credential
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
