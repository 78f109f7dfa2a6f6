/// The target of a request relative to a base URL: a path whose interpolated values cannot break out.
///
/// ```swift
/// let path: RequestPath = "users/\(id)/files/\(name)"
/// let url = try path.url(base: URL(string: "https://example.org/v1"))
/// ```
///
/// - Each interpolated value is a part of one segment, whatever it contains: everything but letters,
///   digits and `-._~` is percent-encoded, including `/`, `?`, `#` and `%`. After a `?` in the literal
///   it is a part of the query. In `\(segments: names)`, each name is a segment.
/// - Literals stay as they are written: `%2F` in a literal is not encoded again. Spaces and non-ASCII
///   letters in literals, which a URL may not contain, are encoded when the URL is created.
/// - A segment that would be empty because of an empty value is refused when the URL is created, and so
///   is any segment that is `.` or `..`, however it is encoded.
/// - ``url(base:)`` defines the meaning of relative paths, paths with a leading `/` and full URLs.
///
/// An optional value does not compile, and neither does one without a lossless text form, unless you
/// convert it explicitly (`\(url.description)`).
public struct RequestPath: Sendable, Hashable {
  /// The path as it is sent, with its query if it has one.
  public let text: String

  /// The reason why no URL can be created from it, or `nil`.
  let problem: String?

  /// A Boolean value that indicates whether it is resolved from the base URL's origin instead of its path.
  let isAtOrigin: Bool

  init(text: String, problem: String? = nil, isAtOrigin: Bool = false) {
    self.text = text
    self.problem = problem
    self.isAtOrigin = isAtOrigin
  }

  /// Creates a path from text that is already encoded, such as a link in a response.
  ///
  /// The text is treated like a literal: only characters that a URL may not contain are encoded, and its
  /// slashes, question marks and fragments have their usual meaning. A full URL replaces the base URL.
  public init(raw text: String) {
    self.init(stringLiteral: text)
  }

  /// Returns a path from the root of the base URL's origin, without the path of the base URL.
  ///
  /// ```swift
  /// .atOrigin("health")   // https://example.org/health for a base of https://example.org/v1
  /// ```
  public static func atOrigin(_ path: RequestPath) -> RequestPath {
    RequestPath(text: path.text, problem: path.problem, isAtOrigin: true)
  }
}

extension RequestPath: CustomStringConvertible {
  /// The value of ``text`` without the query, which may contain secrets.
  public var description: String { Printable.line(Self.split(text[...]).path) }
}

extension RequestPath: ExpressibleByStringInterpolation {
  /// Creates a path from a literal.
  public init(stringLiteral text: String) {
    var interpolation = StringInterpolation(literalCapacity: text.utf8.count, interpolationCount: 0)
    interpolation.appendLiteral(text)
    self.init(stringInterpolation: interpolation)
  }

  /// Creates a path from literals, which stay as they are written, and values, which are encoded.
  public init(stringInterpolation: StringInterpolation) {
    var builder = stringInterpolation.builder
    self = builder.finish()
  }
}
