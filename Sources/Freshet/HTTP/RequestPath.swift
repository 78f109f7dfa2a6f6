/// Where a request goes below a base URL: a path whose interpolated values cannot break out.
///
/// ```swift
/// let path: RequestPath = "users/\(id)/files/\(name)"
/// let url = try path.url(base: URL(string: "https://example.org/v1"))
/// ```
///
/// - Each interpolated value is one piece of one segment, whatever it holds: everything but letters,
///   digits and `-._~` is percent-encoded, `/`, `?`, `#` and `%` among it. After a `?` in the
///   literal it is one piece of the query.
/// - Literals stay as they are written: `%2F` in a literal is not encoded again. Spaces and letters
///   beyond ASCII in literals, which no URL may hold, are encoded when the URL is made.
/// - A value that would make its segment vanish (an empty one) and any segment that is `.` or `..`,
///   which would climb, however it is encoded, are refused when the URL is made.
/// - ``url(base:)`` says what relative paths, paths with a `/` in front and full URLs mean.
///
/// An optional value does not compile; neither does one that has no form as text of its own, unless
/// that is asked for (`\(url.description)`).
public struct RequestPath: Sendable, Hashable {
  /// The path as it is sent, with its query if it has one.
  public let text: String

  /// Why no URL can be made of it, or `nil`.
  let problem: String?

  /// Whether it is resolved from the base URL's origin instead of its path.
  let isAtOrigin: Bool

  init(text: String, problem: String? = nil, isAtOrigin: Bool = false) {
    self.text = text
    self.problem = problem
    self.isAtOrigin = isAtOrigin
  }

  /// Makes a path of text that is encoded already, such as a link in a response.
  ///
  /// It is taken as a literal is: nothing in it is encoded but what no URL may hold, and its
  /// slashes, question marks and fragments mean what they mean. A full URL leaves the base URL.
  public init(raw text: String) {
    self.init(stringLiteral: text)
  }

  /// The path from the root of the base URL's origin, past the path of the base URL.
  ///
  /// ```swift
  /// .atOrigin("health")   // https://example.org/health for a base of https://example.org/v1
  /// ```
  public static func atOrigin(_ path: RequestPath) -> RequestPath {
    RequestPath(text: path.text, problem: path.problem, isAtOrigin: true)
  }
}

extension RequestPath: CustomStringConvertible {
  /// The same as ``text``, without the query, which may hold what nobody should read.
  public var description: String { Printable.line(Self.split(text[...]).path) }
}

extension RequestPath: ExpressibleByStringInterpolation {
  /// Makes a path as it is written.
  public init(stringLiteral text: String) {
    var interpolation = StringInterpolation(literalCapacity: text.utf8.count, interpolationCount: 0)
    interpolation.appendLiteral(text)
    self.init(stringInterpolation: interpolation)
  }

  /// Makes a path of literals, which stay as they are written, and values, which are encoded.
  public init(stringInterpolation: StringInterpolation) {
    var builder = stringInterpolation.builder
    self = builder.finish()
  }
}
