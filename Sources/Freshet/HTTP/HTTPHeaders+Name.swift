extension HTTPHeaders {
  /// The name of a header field: any case is equal to any other (RFC 9110 section 5.1).
  public struct Name: Sendable, ExpressibleByStringLiteral {
    /// The name as it was written.
    public let rawValue: String
    /// The same for equal names: a name is compared far more often than it is made.
    private let fingerprint: UInt64

    /// Makes a name; whether it is a valid token is checked when a request is sent.
    public init(_ rawValue: String) {
      self.rawValue = rawValue
      // FNV-1a in lower case.
      var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325
      var text = rawValue
      text.withUTF8 { bytes in
        for byte in bytes {
          fingerprint = (fingerprint ^ UInt64(ASCII.lowercased(byte))) &* 0x100_0000_01B3
        }
      }
      self.fingerprint = fingerprint
    }

    /// Makes a name from a literal, such as `"X-Request-ID"`.
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
  /// What the response may be (RFC 9110 section 12.5.1).
  public static let accept: Self = "Accept"
  /// Which encodings of the body are understood (RFC 9110 section 12.5.3).
  public static let acceptEncoding: Self = "Accept-Encoding"
  /// Which languages are preferred (RFC 9110 section 12.5.4).
  public static let acceptLanguage: Self = "Accept-Language"
  /// How old a response is, in seconds (RFC 9111 section 5.1).
  public static let age: Self = "Age"
  /// The credentials of the request (RFC 9110 section 11.6.2).
  public static let authorization: Self = "Authorization"
  /// What caches may do (RFC 9111 section 5.2).
  public static let cacheControl: Self = "Cache-Control"
  /// What belongs to the connection and not to the message (RFC 9110 section 7.6.1).
  public static let connection: Self = "Connection"
  /// How the body is encoded (RFC 9110 section 8.4).
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
  /// When the response was made (RFC 9110 section 6.6.1).
  public static let date: Self = "Date"
  /// The version of the representation (RFC 9110 section 8.8.3).
  public static let eTag: Self = "ETag"
  /// When the response becomes stale (RFC 9111 section 5.3).
  public static let expires: Self = "Expires"
  /// Which host is meant (RFC 9110 section 7.2).
  public static let host: Self = "Host"
  /// Proceed only if the target still has this version (RFC 9110 section 13.1.1).
  public static let ifMatch: Self = "If-Match"
  /// Proceed only if it changed since (RFC 9110 section 13.1.3).
  public static let ifModifiedSince: Self = "If-Modified-Since"
  /// Proceed only if it is none of these versions (RFC 9110 section 13.1.2).
  public static let ifNoneMatch: Self = "If-None-Match"
  /// Apply the range only to this version (RFC 9110 section 13.1.5).
  public static let ifRange: Self = "If-Range"
  /// Proceed only if it has not changed since (RFC 9110 section 13.1.4).
  public static let ifUnmodifiedSince: Self = "If-Unmodified-Since"
  /// When the representation changed last (RFC 9110 section 8.8.2).
  public static let lastModified: Self = "Last-Modified"
  /// Where to go on (RFC 9110 section 10.2.2).
  public static let location: Self = "Location"
  /// The fallback for caches of HTTP/1.0 (RFC 9111 section 5.4).
  public static let pragma: Self = "Pragma"
  /// The credentials for a proxy (RFC 9110 section 11.7.2).
  public static let proxyAuthorization: Self = "Proxy-Authorization"
  /// The part that is wanted (RFC 9110 section 14.2).
  public static let range: Self = "Range"
  /// When to ask again (RFC 9110 section 10.2.3).
  public static let retryAfter: Self = "Retry-After"
  /// A cookie to keep (RFC 6265 section 4.1).
  public static let setCookie: Self = "Set-Cookie"
  /// How an HTTP/1.1 message is framed (RFC 9112 section 6.1).
  public static let transferEncoding: Self = "Transfer-Encoding"
  /// Who asks (RFC 9110 section 10.1.5).
  public static let userAgent: Self = "User-Agent"
  /// Which request fields chose the response (RFC 9110 section 12.5.5).
  public static let vary: Self = "Vary"
}
