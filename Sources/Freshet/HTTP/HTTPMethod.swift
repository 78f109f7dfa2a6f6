/// A request method, as RFC 9110 section 9 defines it.
///
/// Methods are case-sensitive: `HTTPMethod("get")` is not `.get`.
public struct HTTPMethod: RawRepresentable, Sendable, Hashable {
  /// The method as it is sent.
  public let rawValue: String

  /// Creates a method from its token, such as `"PROPFIND"`.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Creates a method from its token, such as `"PROPFIND"`.
  public init(_ token: String) {
    self.init(rawValue: token)
  }
}

extension HTTPMethod {
  /// Transfers a representation of the target.
  public static let get = HTTPMethod("GET")
  /// Transfers the head of the response that `get` would have.
  public static let head = HTTPMethod("HEAD")
  /// Has the target process the body.
  public static let post = HTTPMethod("POST")
  /// Has the target process the body, without changing anything: a `GET` with a body.
  ///
  /// Its responses are stored under the URL and the body, see ``CacheIdentity/request(with:)``.
  public static let query = HTTPMethod("QUERY")
  /// Replaces the target with the body.
  public static let put = HTTPMethod("PUT")
  /// Modifies the target as the body says (RFC 5789).
  public static let patch = HTTPMethod("PATCH")
  /// Removes the target.
  public static let delete = HTTPMethod("DELETE")
  /// Requests the options of the target.
  public static let options = HTTPMethod("OPTIONS")
}

extension HTTPMethod {
  /// A Boolean value that indicates whether the method is read-only (RFC 9110 section 9.2.1).
  public var isSafe: Bool {
    switch self {
    case .get, .head, .options, .query, HTTPMethod("TRACE"): true
    default: false
    }
  }

  /// A Boolean value that indicates whether sending a request twice has the same effect as once (RFC
  /// 9110 section 9.2.2).
  public var isIdempotent: Bool { isSafe || self == .put || self == .delete }
}

extension HTTPMethod: CustomStringConvertible {
  /// The method as it is sent.
  public var description: String { rawValue }
}
