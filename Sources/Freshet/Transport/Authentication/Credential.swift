public import FreshetEssentials

/// A proof of the user's identity: the value of an `Authorization` field, or a login, and how long
/// it lasts.
///
/// Its descriptions never show the value.
public struct Credential: Sendable, Hashable, Codable {
  /// The value of the `Authorization` field; empty for a login, whose field follows from what the
  /// server asks for.
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
  /// The user and the password that are sent as the server asks for them, if the credential is those.
  private(set) var login: Login?

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
    Credential(authorization: Login(user: user, password: password, allowsBasic: true).basic)
  }

  /// A user and a password that are sent as the server asks: by Digest (RFC 7616) if it offers that,
  /// otherwise by Basic (RFC 7617).
  ///
  /// Nothing is sent before the server has asked; from then on each request carries an answer of its
  /// own. Basic shows the password to whoever reads along: over `http`, prefer
  /// ``digest(user:password:subject:)``.
  ///
  /// - Parameters:
  ///   - user: The user's name; one with a colon can be sent by Digest only.
  ///   - password: The password.
  ///   - subject: The user that it belongs to, see ``subject``; unknown by default.
  /// - Returns: The credential.
  public static func login(
    user: String,
    password: String,
    subject: String? = nil
  ) -> Credential {
    login(Login(user: user, password: password, allowsBasic: true), subject)
  }

  /// A user and a password for Digest (RFC 7616), which never sends the password itself.
  ///
  /// MD5, SHA-256, their `-sess` forms, `auth` and `auth-int` are answered, on Linux SHA-512-256 too.
  /// A server that offers Basic only gets nothing, and its 401 is delivered. A body whose server wants
  /// a digest of it (`auth-int`) is read twice.
  ///
  /// - Parameters:
  ///   - user: The user's name.
  ///   - password: The password.
  ///   - subject: The user that it belongs to, see ``subject``; unknown by default.
  /// - Returns: The credential.
  public static func digest(
    user: String,
    password: String,
    subject: String? = nil
  ) -> Credential {
    login(Login(user: user, password: password, allowsBasic: false), subject)
  }

  private static func login(_ login: Login, _ subject: String?) -> Credential {
    var credential = Credential(authorization: "", subject: subject)
    credential.login = login
    return credential
  }

  /// The key of the owner for stored responses.
  var identity: String { subject.map(Self.identity) ?? login?.basic ?? authorization }

  /// Returns a key that cannot equal an `Authorization` field.
  static func identity(of subject: String) -> String { "\u{0}\(subject)" }

  /// Returns the credential with the subject of an older one, unless it has its own.
  func succeeding(_ old: Credential?) -> Credential {
    var credential = self
    credential.subject = subject ?? old?.subject
    return credential
  }

  /// The scheme, such as `Bearer`.
  var scheme: Substring {
    guard let login else { return authorization.prefix { $0 != " " } }
    return login.allowsBasic ? "Login" : "Digest"
  }

  /// Returns whether a response with these challenges says that the credential is not valid, or not
  /// valid any more.
  ///
  /// It does (RFC 9110 section 15.5.2), whatever schemes it asks for: servers that know several may
  /// name one. A challenge of the credential's own scheme may have another complaint than
  /// `invalid_token` (RFC 6750 section 3.1).
  func isRejected(by challenges: [Challenge]) -> Bool {
    let scheme = ASCII.lowercased(scheme)
    let complaints = challenges.filter { $0.scheme == scheme }.map { $0.parameters["error"] }
    return complaints.isEmpty || complaints.contains { $0 == nil || $0 == "invalid_token" }
  }
}

extension Credential: RedactedDescribable {
  /// The scheme, without the value.
  public var description: String { "\(scheme) \(Redaction.placeholder)" }
}
