/// A request method, as RFC 9110 section 9 defines it.
///
/// Methods are case-sensitive: `HTTPMethod("get")` is not `.get`.
public struct HTTPMethod: RawRepresentable, Sendable, Hashable {
  /// The method as it is sent.
  public let rawValue: String

  /// Makes a method from its token, such as `"PROPFIND"`.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Makes a method from its token, such as `"PROPFIND"`.
  public init(_ token: String) {
    self.init(rawValue: token)
  }
}

extension HTTPMethod {
  /// Transfers a representation of the target.
  public static let get = HTTPMethod("GET")
  /// The same as `get`, without the body.
  public static let head = HTTPMethod("HEAD")
  /// Lets the target process the body.
  public static let post = HTTPMethod("POST")
  /// Replaces the target by the body.
  public static let put = HTTPMethod("PUT")
  /// Changes the target by the body (RFC 5789).
  public static let patch = HTTPMethod("PATCH")
  /// Removes the target.
  public static let delete = HTTPMethod("DELETE")
  /// Asks what the target can do.
  public static let options = HTTPMethod("OPTIONS")
}

extension HTTPMethod {
  /// Whether the method only reads (RFC 9110 section 9.2.1).
  public var isSafe: Bool {
    switch self {
    case .get, .head, .options, HTTPMethod("TRACE"): true
    default: false
    }
  }

  /// Whether sending it twice means the same as sending it once (RFC 9110 section 9.2.2).
  public var isIdempotent: Bool {
    isSafe || self == .put || self == .delete
  }
}

extension HTTPMethod: CustomStringConvertible {
  /// The method as it is sent.
  public var description: String { rawValue }
}
