extension HTTPHeaders {
  /// The name of a header field, compared without regard to case (RFC 9110 section 5.1).
  public struct Name: Sendable, ExpressibleByStringLiteral {
    /// The name as it was written.
    public let rawValue: String
    /// A hash that is equal for equal names, computed once because names are compared often.
    private let fingerprint: UInt64

    // Not inlined: the module makes several hundred names from literals.

    /// Creates a name; whether it is a valid token is checked when a request is sent.
    @inline(never)
    public init(_ rawValue: String) {
      self.rawValue = rawValue
      var fingerprint = Self.emptyFingerprint
      var text = rawValue
      text.withUTF8 { bytes in
        for byte in bytes { fingerprint = Self.fingerprint(fingerprint, adding: byte) }
      }
      self.fingerprint = fingerprint
    }

    private static let emptyFingerprint: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Returns the fingerprint with one more byte: FNV-1a in lower case.
    private static func fingerprint(_ fingerprint: UInt64, adding byte: UInt8) -> UInt64 {
      (fingerprint ^ UInt64(ASCII.lowercased(byte))) &* 0x100_0000_01B3
    }

    /// Creates a name from a literal, such as `"X-Request-ID"`.
    public init(stringLiteral literal: String) {
      self.init(literal)
    }
  }
}

extension HTTPHeaders.Name: Hashable {
  /// Compares without regard to ASCII case.
  public static func == (left: Self, right: Self) -> Bool {
    left.fingerprint == right.fingerprint
      && (left.rawValue == right.rawValue
        || ASCII.equalIgnoringCase(left.rawValue, right.rawValue))
  }

  /// Hashes without regard to ASCII case.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(fingerprint)
  }
}

extension HTTPHeaders.Name: CustomStringConvertible {
  /// The name as it was written.
  public var description: String { rawValue }
}

extension HTTPHeaders.Name {
  /// The accepted media types of the response (RFC 9110 section 12.5.1).
  public static let accept: Self = "Accept"
  /// The accepted encodings of the body (RFC 9110 section 12.5.3).
  public static let acceptEncoding: Self = "Accept-Encoding"
  /// The preferred languages of the response (RFC 9110 section 12.5.4).
  public static let acceptLanguage: Self = "Accept-Language"
  /// The age of a response, in seconds (RFC 9111 section 5.1).
  public static let age: Self = "Age"
  /// The credentials of the request (RFC 9110 section 11.6.2).
  public static let authorization: Self = "Authorization"
  /// The directives for caches (RFC 9111 section 5.2).
  public static let cacheControl: Self = "Cache-Control"
  /// The fields that belong to the connection, not to the message (RFC 9110 section 7.6.1).
  public static let connection: Self = "Connection"
  /// The encodings of the body (RFC 9110 section 8.4).
  public static let contentEncoding: Self = "Content-Encoding"
  /// The length of the body in bytes (RFC 9110 section 8.6).
  public static let contentLength: Self = "Content-Length"
  /// The URL of the representation in the body (RFC 9110 section 8.7).
  public static let contentLocation: Self = "Content-Location"
  /// The part that a 206 carries (RFC 9110 section 14.4).
  public static let contentRange: Self = "Content-Range"
  /// The media type of the body (RFC 9110 section 8.3).
  public static let contentType: Self = "Content-Type"
  /// The client's cookies (RFC 6265 section 5.4).
  public static let cookie: Self = "Cookie"
  /// The time at which the response was created (RFC 9110 section 6.6.1).
  public static let date: Self = "Date"
  /// The version of the representation (RFC 9110 section 8.8.3).
  public static let eTag: Self = "ETag"
  /// The time at which the response becomes stale (RFC 9111 section 5.3).
  public static let expires: Self = "Expires"
  /// The host and port of the request's URL (RFC 9110 section 7.2).
  public static let host: Self = "Host"
  /// The version that the target must still have (RFC 9110 section 13.1.1).
  public static let ifMatch: Self = "If-Match"
  /// The time after which the target must have changed (RFC 9110 section 13.1.3).
  public static let ifModifiedSince: Self = "If-Modified-Since"
  /// The versions that the target must not have (RFC 9110 section 13.1.2).
  public static let ifNoneMatch: Self = "If-None-Match"
  /// The version for which the range is requested (RFC 9110 section 13.1.5).
  public static let ifRange: Self = "If-Range"
  /// The time after which the target must not have changed (RFC 9110 section 13.1.4).
  public static let ifUnmodifiedSince: Self = "If-Unmodified-Since"
  /// The time at which the representation was last changed (RFC 9110 section 8.8.2).
  public static let lastModified: Self = "Last-Modified"
  /// The URL of a redirect, or of a new resource (RFC 9110 section 10.2.2).
  public static let location: Self = "Location"
  /// The directives for caches of HTTP/1.0 (RFC 9111 section 5.4).
  public static let pragma: Self = "Pragma"
  /// The credentials for a proxy (RFC 9110 section 11.7.2).
  public static let proxyAuthorization: Self = "Proxy-Authorization"
  /// The requested part (RFC 9110 section 14.2).
  public static let range: Self = "Range"
  /// The time to wait before another request (RFC 9110 section 10.2.3).
  public static let retryAfter: Self = "Retry-After"
  /// A cookie to store (RFC 6265 section 4.1).
  public static let setCookie: Self = "Set-Cookie"
  /// The framing of an HTTP/1.1 message (RFC 9112 section 6.1).
  public static let transferEncoding: Self = "Transfer-Encoding"
  /// The client software (RFC 9110 section 10.1.5).
  public static let userAgent: Self = "User-Agent"
  /// The request fields that selected the response (RFC 9110 section 12.5.5).
  public static let vary: Self = "Vary"
}
